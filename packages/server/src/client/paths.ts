/* Generated from the table of routes: npm run client -w @coppice/server. Do not edit. */

export interface paths {
  '/api/attachments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Stores bytes under their hash; the media type is that of the request. The same bytes again are the same attachment. */
    post: operations['uploadAttachment'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attachments/{hash}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The bytes, or a range of them. They never change, so they may be kept for good. */
    get: operations['getAttachment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/bookmarks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The bookmarks in all trees, tree by tree, newest change first; a page looks through some of the trees. */
    get: operations['listBookmarks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/commands': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Every command with its usage, its arguments as JSON Schema, and examples. */
    get: operations['listCommands'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/docs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This API as a page to read. It loads nothing from anywhere. */
    get: operations['getReference'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Every tree of the caller: one file, or a zip where the format has a file for each; with `trashed`, also what is in the trash. */
    get: operations['exportEverything'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/export/report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The same for an export of everything. It reads as much as the export does. */
    get: operations['getFullExportReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/feed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Server-sent events: `tree` (id = cursor, data = treeId and version) for every change in any of your trees. */
    get: operations['followTrees'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/folders': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The folders that trees are in, with how many each has. */
    get: operations['listFolders'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/folders/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Renames a folder in every tree that is in it; null takes them out of it. */
    patch: operations['renameFolder'];
    trace?: never;
  };
  '/api/formats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The formats that are read and written, and what each of them cannot hold. */
    get: operations['listFormats'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/generations/{act}/abort': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Stops a turn, in this process or another; what was said is kept. False where nothing of it runs any more. */
    post: operations['abortGeneration'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/generations/{act}/approvals/{call}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Lets a turn run a tool that it asked for, or not; `remember` lets that tool run from now on. */
    post: operations['approveCall'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/generations/{act}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Server-sent events of a turn of this process (id = index, data = the event), from `from` or after Last-Event-ID to the last. */
    get: operations['followGeneration'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/imports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The imports of this process that are under way, and for a day those that are through, the newest first. */
    get: operations['listImports'];
    put?: never;
    /** Takes a file or a zip of files and begins to import it; answers when all of it has arrived. It goes on whether anybody waits or not. Sending it again is harmless: what is there already is found again. */
    post: operations['beginImport'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/imports/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How far an import is, or what it did: read = stored + merged + rejected, for conversations and for records. */
    get: operations['getImport'];
    put?: never;
    post?: never;
    /** Stops an import between two conversations; what is in stays whole. One that is through is forgotten. */
    delete: operations['cancelImport'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/imports/{id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Server-sent events, each with all that `GET /api/imports/{id}` says: `progress` while it goes on, `end` when it is through. A reader that goes away stops nothing. */
    get: operations['followImport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/imports/{id}/findings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What an import repaired, left out or noted, each with its place: the first thousand, losses first, page by page. All are counted in its report. */
    get: operations['listFindings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/imports/{id}/trees': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The trees that an import made or added to, or would in a dry run: the first thousand, page by page. */
    get: operations['listImportedTrees'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The MCP servers of the operator’s configuration, how each is, and what its tools are like. */
    get: operations['listMcpServers'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/mcp/approvals': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes a changed tool, or all changed tools of a server, as it is now. The hash is that of what was shown. */
    post: operations['approveMcpTool'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/me': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Who you are here, and whether there are others. */
    get: operations['getMe'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Every model that can be asked, those that are ready first, and the one of choice. */
    get: operations['listModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/models/refresh': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Asks every provider that is ready which models it has. */
    post: operations['refreshModels'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** This API as an OpenAPI 3.1 document. */
    get: operations['getOpenApi'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/proxy': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How recording is, and what was recorded last. */
    get: operations['getProxy'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/proxy/failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The caller’s calls that could not be recorded and that nobody has acknowledged, newest first. */
    get: operations['listFailedCalls'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/proxy/failed/{id}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Records a failed call again, from what was kept of it. */
    post: operations['retryFailedCall'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/proxy/failed/acknowledge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes failed calls off the list, with what was kept of them: those that are named, or all of the caller’s. */
    post: operations['acknowledgeFailedCalls'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/proxy/recording': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Goes on recording calls, or keeps nothing of them until told to again. */
    put: operations['setRecording'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/redo': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Does again what you undid last in any tree, unless you did something since. */
    post: operations['redoAnywhere'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/search': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Messages in which all words of the query occur as they are written, in every branch, newest first. */
    get: operations['search'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What the operator has set, as far as it may be seen: no key, and no path on the machine. */
    get: operations['getSettings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shapes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The silhouettes of some trees: how many messages and branches each has, and how high its stems are; and where the user is in it: on which named branch, and the last words there. */
    get: operations['getShapes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shared/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What a link shows, to whoever has it. */
    get: operations['getShared'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shared/{token}/attachments/{hash}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The bytes of a picture or file that a link shows, or a range of them, as long as the link shows it. */
    get: operations['getSharedAttachment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shares': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** All your links. */
    get: operations['listShares'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shares/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Revokes a link; it leads nowhere from now on. */
    delete: operations['revokeShare'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/shares/{id}/update': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Has a link of yours show its messages as they are now, after some of them were edited in place. */
    post: operations['updateShare'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tags': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The tags that trees carry, with how many carry each. */
    get: operations['listTags'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Your tokens; what they are is not kept. */
    get: operations['listTokens'];
    put?: never;
    /** Makes a token for you. It is shown this once; nobody makes one for somebody else, admins neither. */
    post: operations['createToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tokens/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Revokes a token of yours; it is good for nothing from now on. */
    delete: operations['revokeToken'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tools': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The tools that models may call. */
    get: operations['listTools'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists trees, the one that changed last first. */
    get: operations['listTrees'];
    put?: never;
    /** Makes a tree, with first messages if there are any. The same id again gives the same tree. */
    post: operations['createTree'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One tree; as `linear` with the messages of its active path, for programs that know no branches. */
    get: operations['getTree'];
    put?: never;
    post?: never;
    /** Puts a tree into the trash; with `purge` takes it out of there for good. A temporary tree is discarded. */
    delete: operations['deleteTree'];
    options?: never;
    head?: never;
    /** Changes what is noted about a tree; null takes a note away. The system prompt never changes. */
    patch: operations['patchTree'];
    trace?: never;
  };
  '/api/trees/{tree}/active': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Goes to a node. Needs no version: the last one wins. */
    put: operations['setActive'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/bookmarks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The bookmarks of a tree. */
    get: operations['getBookmarks'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/branch': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Goes elsewhere to go on from there; with a summary of what is left behind, given or written by a model. */
    post: operations['branch'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/cherry-pick': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Copies a message, or a range, to the end of the active branch or below the parent that is named. */
    post: operations['cherryPick'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/commands': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Runs a command, as a line or by name and arguments. It plans under the lock of the tree and needs no version. */
    post: operations['runCommand'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/commands/complete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** How a line could go on. */
    post: operations['completeCommand'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/compact': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Has older messages of a branch give way to a summary; nothing is deleted. */
    post: operations['compact'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/contents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The messages of some nodes, by id; what is not there is left out. */
    get: operations['getContents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/context': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What a model would see at a node: its messages with their tokens, all of them or by page, how full the window is, and what a reply costs. */
    get: operations['getContext'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/diff': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What two branches have in common and what each has for itself, with the words that differ pair by pair. */
    get: operations['getDiff'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/duplicate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Copies a tree up to a node, or whole, into a new one. */
    post: operations['duplicateTree'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A tree, the branch below a node with the way to it, or the path to a node, as a file to keep. It never opens as a page. */
    get: operations['exportTree'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/export/report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What the same export would write and what its format cannot hold of it: nodes read = written + merged + left out. The first thousand losses are listed, all are counted. */
    get: operations['getExportReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/feed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Server-sent events: `commit` (id = version, data = the commit and its nodes), `delta` (text of a reply on its way, no id), `approval`, `reset`. Goes on without gap after Last-Event-ID, or from `since`. */
    get: operations['followTree'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/generations': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The replies that are being written in a tree, by whatever process. */
    get: operations['listGenerations'];
    put?: never;
    /** Begins replies: to a message that is said with it, to a node, again, or on from where one was cut short. */
    post: operations['generate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/group': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Puts variants of one parent into a group of their own, or a single node into none. */
    post: operations['groupNodes'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The commits of a tree, newest first, before a version. */
    get: operations['getHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/history/{version}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The tree as it was after a version, without content. */
    get: operations['getVersion'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/history/{version}/page': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A page of a branch as it was after a version. */
    get: operations['getVersionPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/history/{version}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Makes the tree again what it was after a version, as a new commit. */
    post: operations['restoreVersion'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/keep': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Keeps a temporary tree: ids, order, groups and pointer stay as they are. */
    post: operations['keepTree'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/leaves': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The newest ends of branches, newest first. */
    get: operations['getLeaves'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/merge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Brings a branch back to the active one, or to the one that is named: as one summary, or as its messages. */
    post: operations['merge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Adds a chain of messages below a node, reusing what is there already. */
    post: operations['appendMessages'];
    /** Takes every message out, into the trash; the tree stays. */
    delete: operations['clearTree'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/navigate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Goes to the variant before or after a node, and down to the leaf that was last visited there. */
    post: operations['navigate'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One node. */
    get: operations['getNode'];
    put?: never;
    post?: never;
    /** Takes a node into the trash: its children take its place, or all below goes, or its whole group goes. */
    delete: operations['deleteNode'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/abort': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Stops whatever writes a node, in this process or another; what was said is kept. */
    post: operations['abortNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/bookmark': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Sets or retitles the bookmark of a node. */
    put: operations['setBookmark'];
    post?: never;
    /** Takes the bookmark of a node away. */
    delete: operations['removeBookmark'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/children': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What hangs on a node, in order; the root may be named too. */
    get: operations['getChildren'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/edit': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Says a message differently: as a variant beside it, in place with the old text kept, or split at the prefix. */
    post: operations['editNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/impact': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What a delete would take and what points there. */
    get: operations['getImpact'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/join': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Makes one message of a message of text and its only reply of the same role; the reply keeps its id. */
    post: operations['joinNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/meta': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Sets notes on a node; null takes one away. `excluded` leaves it out of what models see. */
    patch: operations['annotateNode'];
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/move': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Hangs a branch elsewhere, in this tree or, as a copy and a removal, in another. The version is that of the tree it is taken from. */
    post: operations['moveNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/path': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The path through a node down to the leaf that was last visited below it, or the last nodes of it. */
    get: operations['getPathThrough'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/siblings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The variants of a node, itself among them, and which it is. */
    get: operations['getSiblings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/split': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Cuts a message of text in two; the new node is the left half. */
    post: operations['splitNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/stream': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Server-sent events of one reply, whichever process writes it: `text-delta` (id = offset after it), then `end` or `error`. */
    get: operations['followNode'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/tags': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Gives a node its tags. */
    put: operations['setTags'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/{node}/title': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Gives a node a title; null takes it away. */
    put: operations['setTitle'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/nodes/delete': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes several nodes into the trash as one. */
    post: operations['deleteNodes'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/page': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The last messages of a branch, or those above or below a cursor, with where each stands among its variants; as `linear` also as plain messages, for programs that know no branches. */
    get: operations['getPage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/path': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The way from a node, or the first turn, down to another, both included; to the active node if none is named. */
    get: operations['getPath'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/redo': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Does again what you undid last, unless you did something since. */
    post: operations['redo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes a tree out of the trash. */
    post: operations['restoreTree'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/shares': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The links to a tree of yours. */
    get: operations['listTreeShares'];
    put?: never;
    /** Shares the path to a node as it is now. The link is shown this once; nothing that comes later is in it. */
    post: operations['createShare'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/system-prompt': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Copies the active path, or all of the tree, into a new tree with another system prompt; the old one stays. */
    put: operations['setSystemPrompt'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/topology': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The tree without what it says, flat: all of it, or what is below a node down to a depth. */
    get: operations['getTopology'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/topology/columns': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The same of the whole tree in columns, less than half as long: each field once, then its value for each node. */
    get: operations['getTopologyColumns'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/trash': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** What was deleted in a tree and can come back. */
    get: operations['getTrash'];
    put?: never;
    post?: never;
    /** Takes everything that was deleted for good. */
    delete: operations['emptyTrash'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/trash/{node}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Takes a deleted node for good, with what went with it. */
    delete: operations['purgeNode'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/trash/{node}/restore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Brings a deleted node back, with what went with it. */
    post: operations['restoreNode'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/undo': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes back your newest act, or the one that is named; what others hung below it refuses that unless forced. */
    post: operations['undo'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/undo': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Takes back your newest act in any tree, deleting or restoring a tree included; the answer names the tree. */
    post: operations['undoAnywhere'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/users': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The users of a shared server. */
    get: operations['listUsers'];
    put?: never;
    /** Lets somebody in; with a first token, which is shown this once. */
    post: operations['createUser'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/users/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /** Renames a user, changes the role, or shuts somebody out and lets them in again. */
    patch: operations['patchUser'];
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the process answers, and how the recording of calls goes, in figures. Says nothing else to anybody. */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/mcp': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The trees of the caller as an MCP server (streamable HTTP). It reads, and writes only where the operator says so. */
    post: operations['callMcp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Figures in the text format of Prometheus; for admins, since they tell how much is done here. */
    get: operations['getMetrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A chat completion, passed on and recorded. */
    post: operations['proxyChatCompletionsOfProject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/embeddings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Embeddings, passed on and not recorded. */
    post: operations['proxyEmbeddingsOfProject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A message to Anthropic, passed on and recorded. */
    post: operations['proxyMessagesOfProject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/messages/count_tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A count of tokens, passed on. */
    post: operations['proxyCountTokensOfProject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The models of the service that calls are passed on to, or our own. */
    get: operations['proxyModelsOfProject'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/p/{name}/v1/responses': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A response, passed on and recorded. */
    post: operations['proxyResponsesOfProject'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Whether the store answers; 503 while it does not. */
    get: operations['getReadiness'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A chat completion, passed on and recorded. */
    post: operations['proxyChatCompletions'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/embeddings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Embeddings, passed on and not recorded. */
    post: operations['proxyEmbeddings'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A message to Anthropic, passed on and recorded. */
    post: operations['proxyMessages'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/messages/count_tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A count of tokens, passed on. */
    post: operations['proxyCountTokens'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The models of the service that calls are passed on to, or our own. */
    get: operations['proxyModels'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/responses': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A response, passed on and recorded. */
    post: operations['proxyResponses'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AnthropicProblem: {
      error: {
        code: string;
        message: string;
        type: string;
      };
      /** @enum {string} */
      type: 'error';
    };
    BegunTurn: {
      actId: string;
      nodes: {
        /** Format: uuid */
        nodeId: string;
        /** Format: uuid */
        parentId: string;
        runId: string | null;
      }[];
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    BlobInfo: {
      hash: string;
      mediaType: string;
      size: number;
    };
    Block: {
      type: string;
    } & {
      [key: string]: unknown;
    };
    Bookmark: {
      createdAt: number;
      /** Format: uuid */
      nodeId: string;
      title: string;
      updatedAt: number;
    };
    ChangedTree: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        /** Format: uuid */
        treeId: string;
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    Command: {
      examples: {
        about: string;
        line: string;
      }[];
      name: string;
      schema: {
        [key: string]: unknown;
      };
      summary: string;
      usage: string;
    };
    CommitSummary: {
      actId: string;
      actor: string;
      at: number;
      /** @enum {string} */
      kind: 'do' | 'undo' | 'redo';
      steps: {
        [key: string]: number;
      };
      structural: boolean;
      version: number;
    };
    Deleted: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        /** Format: uuid */
        activeNodeId: string | null;
        bookmarks: {
          moved: components['schemas']['Bookmark'][];
          removed: components['schemas']['Bookmark'][];
        };
        /** Format: uuid */
        parentId: string | null;
        removed: string[];
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    Edited: components['schemas']['Grown'] & {
      outdatedShares?: components['schemas']['Share'][];
    };
    ExportReport: {
      bytes: number;
      counts: {
        [key: string]: number;
      };
      format: string;
      losses: {
        message: string;
        place: string;
        what: string;
      }[];
      nodes: {
        left: number;
        merged: number;
        read: number;
        written: number;
      };
      trees: number;
    };
    FailedCall: {
      at: number;
      code: string;
      id: string;
      /** @description The size of what is kept of the call; 0 where it cannot be recorded again. */
      keptBytes: number;
      model: string | null;
      project: string;
      /** @description In words; null unless the caller is an admin. */
      reason: string | null;
      status: number | null;
      /** @enum {string} */
      wire: 'chat' | 'messages' | 'responses';
    };
    FormatView: {
      label: string;
      name: string;
      reads: boolean;
      summary: string;
      writes: {
        extension: string;
        /** @enum {string} */
        files: 'one' | 'per-tree';
        loses: {
          [key: string]: string;
        };
        mediaType: string;
      } | null;
    };
    Grown: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        added: string[];
        /** Format: uuid */
        nodeId: string;
        reused?: string[];
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    ImportFinding: {
      code: string;
      data: {
        detail?: string;
        refusal?: {
          code: string;
          data: {
            [key: string]: unknown;
          };
          message: string;
        };
      };
      message: string;
      place: string;
      rejected: number;
      /** @enum {string} */
      severity: 'note' | 'repair' | 'loss';
    };
    ImportView: {
      dryRun: boolean;
      endedAt: number | null;
      error: {
        code: string;
        kind: string;
        message: string;
      } | null;
      format: {
        label: string;
        name: string;
      } | null;
      id: string;
      listed: {
        findings: number;
        trees: number;
      };
      name: string;
      progress: {
        bytes: number;
        conversations: number;
        records: number;
        total: number | null;
      };
      report: {
        attachments: number;
        bytes: number;
        conversations: components['schemas']['Tally'];
        counts: {
          [key: string]: number;
        };
        records: components['schemas']['Tally'];
      } | null;
      size: number;
      startedAt: number;
      /** @enum {string} */
      state: 'running' | 'done' | 'failed' | 'cancelled';
      strict: boolean;
      taken: {
        merged: number;
        stored: number;
      };
    };
    Landed: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        [key: string]: unknown;
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    ListedBookmark: {
      createdAt: number;
      /** Format: uuid */
      nodeId: string;
      /** @enum {string|null} */
      role: 'user' | 'assistant' | 'tool' | 'system' | null;
      title: string;
      /** Format: uuid */
      treeId: string;
      treeTitle: string | null;
      words: string;
    };
    MadeTree: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        created: boolean;
        tree: components['schemas']['TreeView'];
        /** Format: uuid */
        treeId: string;
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    McpProblem: {
      error: {
        code: number;
        message: string;
      };
      id?: unknown;
      /** @enum {string} */
      jsonrpc: '2.0';
    };
    Message: {
      content: components['schemas']['Block'][];
      /** @enum {string} */
      role: 'user' | 'assistant' | 'tool' | 'system';
      tool_call_id?: string;
    };
    MessageInput:
      | string
      | {
          content: string | components['schemas']['Block'][];
          id?: string;
          meta?: {
            [key: string]: unknown;
          };
          /** @enum {string} */
          role: 'user' | 'assistant' | 'tool' | 'system';
          tool_call_id?: string;
        };
    ModelChoice: {
      capabilities: {
        images: boolean;
        thinking: boolean;
        tools: boolean;
      };
      id: string;
      label: string;
      maxOut: number;
      missing: string | null;
      price: {
        cacheRead: number;
        cacheWrite: number;
        input: number;
        output: number;
      } | null;
      provider: string;
      providerLabel: string;
      ready: boolean;
      window: number;
      windowKnown: boolean;
    };
    Node: {
      addedIn: number;
      aliases: {
        key: string;
        /** Format: uuid */
        matchParent: string;
      }[];
      contentIn: number;
      createdAt: number;
      groupId: number;
      /** Format: uuid */
      id: string;
      key: string | null;
      /** @enum {string} */
      kind: 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
      /** Format: uuid */
      lastChildId: string | null;
      marker: {
        [key: string]: unknown;
      } | null;
      /** Format: uuid */
      matchParent: string | null;
      message: components['schemas']['Message'] | null;
      meta: {
        [key: string]: unknown;
      };
      /** Format: uuid */
      parentId: string | null;
      position: string;
      removedIn: number | null;
      /** @enum {string} */
      role: 'user' | 'assistant' | 'tool' | 'system' | 'root';
      seq: number;
      /** @enum {string} */
      status: 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
      text: string;
      tokens: number;
    };
    OpenAiProblem: {
      error: {
        code: string;
        message: string;
        param: null;
        type: string;
      };
    };
    Problem: {
      error: {
        code: string;
        data: {
          [key: string]: unknown;
        };
        /** @enum {string} */
        kind: 'invalid' | 'not-found' | 'conflict' | 'refused' | 'unavailable' | 'aborted' | 'internal';
        message: string;
      };
    };
    ProxyState: {
      calls: {
        at: number;
        firstMs: number | null;
        model: string;
        nodeId: string | null;
        nodes: number;
        project: string;
        status: number;
        totalMs: number;
        treeId: string | null;
        usage?: unknown;
      }[];
      dropped: number;
      failed: number;
      /** @enum {string} */
      health: 'recording' | 'paused' | 'behind' | 'failing';
      lastError: string | null;
      recorded: number;
      recording: boolean;
      spilled: number;
      unacknowledged: number;
      waiting: number;
      waitingBytes: number;
    };
    Reversed: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        actId: string;
        /** Format: uuid */
        activeNodeId: string | null;
        versions: number[];
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    ReversedAnywhere: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        actId: string;
        /** Format: uuid */
        activeNodeId: string | null;
        deletedAt: number | null;
        title: string | null;
        versions: number[];
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    SearchHit: {
      createdAt: number;
      /** Format: uuid */
      nodeId: string;
      /** @enum {string} */
      role: 'user' | 'assistant' | 'tool' | 'system';
      snippet: string;
      title: string | null;
      /** Format: uuid */
      treeId: string;
    };
    Share: {
      createdAt: number;
      expiresAt: number | null;
      fields: string[];
      id: string;
      nodeIds: string[];
      revokedAt: number | null;
      title: string | null;
      /** Format: uuid */
      treeId: string;
    };
    Tally: {
      merged: number;
      read: number;
      rejected: number;
      stored: number;
    };
    ThreadPage: {
      /** Format: uuid */
      activeNodeId: string | null;
      /** Format: uuid */
      after: string | null;
      /** Format: uuid */
      before: string | null;
      bookmarks: {
        [key: string]: components['schemas']['Bookmark'];
      };
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      groups: {
        [key: string]: components['schemas']['Node'][];
      };
      messages?: (components['schemas']['Message'] & {
        createdAt: number;
        /** Format: uuid */
        id: string;
        status: string;
      })[];
      nodes: components['schemas']['Node'][];
      /** Format: uuid */
      rootId: string;
      runs: {
        [key: string]: string;
      };
      variants: {
        [key: string]: {
          ids: string[];
          index: number;
          total: number;
        };
      };
      version: number;
    };
    Token: {
      createdAt: number;
      expiresAt: number | null;
      id: string;
      name: string;
      revokedAt: number | null;
      usedAt: number | null;
      userId: string;
    };
    Tool: {
      description: string;
      name: string;
      parameters: {
        [key: string]: unknown;
      };
      sideEffects: boolean;
    };
    TopologyColumns: {
      createdAt: number[];
      groupId: number[];
      id: string[];
      kind: {
        at: number[];
        of: ('root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state')[];
      };
      parent: number[];
      position: string[];
      preview: string[];
      role: {
        at: number[];
        of: ('user' | 'assistant' | 'tool' | 'system' | 'root')[];
      };
      seq: number[];
      since: number;
      status: {
        at: number[];
        of: ('pending' | 'success' | 'interrupted' | 'aborted' | 'error')[];
      };
      tokens: number[];
    };
    TopologyNode: {
      childCount: number;
      createdAt: number;
      groupId: number;
      hasChildren: boolean;
      /** Format: uuid */
      id: string;
      /** @enum {string} */
      kind: 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
      /** Format: uuid */
      parentId: string;
      position: string;
      preview: string;
      /** @enum {string} */
      role: 'user' | 'assistant' | 'tool' | 'system' | 'root';
      seq: number;
      /** @enum {string} */
      status: 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
      tokens: number;
    };
    Touched: {
      /** Format: uuid */
      actId: string;
      /** Format: uuid */
      activeNodeId: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      nodes: components['schemas']['Node'][];
      result: {
        /** Format: uuid */
        nodeId: string;
      };
      /** Format: uuid */
      treeId: string;
      version: number;
    };
    TrashItem: {
      at: number;
      count: number;
      /** Format: uuid */
      nodeId: string;
      preview: string;
      removedIn: number;
      /** Format: uuid */
      treeId: string;
    };
    TreeShape: {
      branches: number;
      messages: number;
      on: string | null;
      stems: {
        active: boolean;
        height: number;
      }[];
      /** Format: uuid */
      treeId: string;
      version: number;
      words: string;
    };
    TreeView: {
      /** Format: uuid */
      activeNodeId: string | null;
      autoTitle: string | null;
      /** @enum {string} */
      conversation_format: 'tree' | 'linear';
      copiedFrom: {
        /** Format: uuid */
        nodeId?: string;
        /** Format: uuid */
        treeId: string;
      } | null;
      createdAt: number;
      deletedAt: number | null;
      folder: string | null;
      forest: boolean;
      /** Format: uuid */
      id: string;
      messageCount?: number;
      metadata: {
        [key: string]: unknown;
      };
      pinned: boolean;
      project: string | null;
      /** Format: uuid */
      rootId: string;
      structureVersion: number;
      systemPrompt?: string;
      tags: string[];
      temporary: boolean;
      title: string | null;
      updatedAt: number;
      version: number;
    };
    User: {
      createdAt: number;
      disabledAt: number | null;
      id: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'member' | 'viewer';
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  uploadAttachment: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BlobInfo'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getAttachment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        hash: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description A part of it. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description You have it already. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listBookmarks: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cursor: string | null;
            items: components['schemas']['ListedBookmark'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listCommands: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Command'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getReference: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  exportEverything: {
    parameters: {
      query: {
        format: string;
        thread?: boolean;
        trashed?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getFullExportReport: {
    parameters: {
      query: {
        format: string;
        thread?: boolean;
        trashed?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExportReport'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  followTrees: {
    parameters: {
      query?: {
        since?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listFolders: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: {
              count: number;
              name: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  renameFolder: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string | null;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            changed: number;
            name: string | null;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listFormats: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['FormatView'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  abortGeneration: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        act: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aborted: boolean;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  approveCall: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        act: string;
        call: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          approve: boolean;
          remember?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approved: boolean;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  followGeneration: {
    parameters: {
      query?: {
        from?: number;
      };
      header?: never;
      path: {
        act: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listImports: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['ImportView'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  beginImport: {
    parameters: {
      query?: {
        dryRun?: boolean;
        format?: string;
        name?: string;
        scope?: string;
        strict?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Begun. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportView'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getImport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportView'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  cancelImport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cancelled: boolean;
            import: components['schemas']['ImportView'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  followImport: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listFindings: {
    parameters: {
      query?: {
        cursor?: number;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cursor: string | null;
            items: components['schemas']['ImportFinding'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listImportedTrees: {
    parameters: {
      query?: {
        cursor?: number;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cursor: string | null;
            items: {
              added: number;
              created: boolean;
              present: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listMcpServers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            servers: {
              lastError: string | null;
              name: string;
              nextTryAt: number | null;
              problems: string[];
              server: {
                name: string;
                version: string;
              } | null;
              since: number;
              status: string;
              target: string[];
              tools: {
                [key: string]: unknown;
              }[];
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  approveMcpTool: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          hash?: string;
          tool: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            approved: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getMe: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            id: string;
            /** @enum {string} */
            mode: 'token' | 'users';
            name: string;
            /** @enum {string} */
            role: 'admin' | 'member' | 'viewer';
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listModels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            default: string;
            items: components['schemas']['ModelChoice'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  refreshModels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            default: string;
            items: components['schemas']['ModelChoice'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getOpenApi: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            [key: string]: unknown;
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getProxy: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProxyState'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listFailedCalls: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            calls: components['schemas']['FailedCall'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  retryFailedCall: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            calls: components['schemas']['FailedCall'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  acknowledgeFailedCalls: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          ids?: string[];
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            acknowledged: number;
            calls: components['schemas']['FailedCall'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setRecording: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          recording: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProxyState'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  redoAnywhere: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          force?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReversedAnywhere'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  search: {
    parameters: {
      query: {
        cursor?: string;
        limit?: number;
        project?: string;
        q: string;
        role?: string;
        treeId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cursor: string | null;
            items: components['schemas']['SearchHit'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getSettings: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            budgets: {
              dayUsd: number | null;
              turnTokens: number | null;
              turnUsd: number | null;
            };
            defaultModel: string;
            limits: {
              attachmentBytes: number;
              bodyBytes: number;
            };
            providers: {
              enabled: boolean;
              key: boolean;
              kind: string;
              label: string;
              name: string;
            }[];
            quotas: {
              generations: number;
              streams: number;
              temporaryTrees: number;
            };
            store: {
              kind: string;
              notes: string[];
              readOnly: boolean;
              search: boolean;
            };
            tools: {
              /** @enum {string} */
              approval: 'ask' | 'never' | 'always';
              calls: number;
              rounds: number;
            };
            warnings: string[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getShapes: {
    parameters: {
      query: {
        ids: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['TreeShape'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getShared: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            createdAt: number;
            messages: {
              content: components['schemas']['Block'][];
              createdAt?: number;
              /** Format: uuid */
              id: string;
              model?: string;
              /** @enum {string} */
              role: 'user' | 'assistant' | 'tool' | 'system';
              usage?: unknown;
            }[];
            systemPrompt?: string;
            title: string | null;
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getSharedAttachment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        hash: string;
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description A part of it. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description You have it already. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listShares: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Share'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  revokeShare: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            share: components['schemas']['Share'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  updateShare: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            share: components['schemas']['Share'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listTags: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: {
              count: number;
              name: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Token'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expiresAt?: number | null;
          name: string;
          userId?: string;
        };
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            secret: string;
            token: components['schemas']['Token'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  revokeToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            token: components['schemas']['Token'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listTools: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Tool'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listTrees: {
    parameters: {
      query?: {
        cursor?: string;
        folder?: string;
        forest?: boolean;
        limit?: number;
        pinned?: boolean;
        project?: string;
        tag?: string;
        title?: string;
        trashed?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            cursor: string | null;
            items: components['schemas']['TreeView'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  createTree: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          folder?: string;
          id?: string;
          messages?: components['schemas']['MessageInput'][];
          metadata?: {
            [key: string]: unknown;
          };
          pinned?: boolean;
          project?: string;
          rootId?: string;
          systemPrompt?: string;
          tags?: string[];
          temporary?: boolean;
          title?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getTree: {
    parameters: {
      query?: {
        count?: boolean;
        format?: 'tree' | 'linear';
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TreeView'] & {
            messages?: (components['schemas']['Message'] & {
              createdAt: number;
              /** Format: uuid */
              id: string;
              status: string;
            })[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  deleteTree: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
        purge?: boolean;
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees that hold copies of what was purged. */
            copies?: {
              nodes: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
            /** @enum {string} */
            state: 'trashed' | 'purged' | 'discarded';
            /** Format: uuid */
            treeId: string;
            /** @description Whether files still hold purged bytes, because another process is reading them. */
            uncleared?: boolean;
            /** @description Attachments that stay for now: they were uploaded less than an hour ago. */
            waitingAttachments?: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  patchTree: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          autoTitle?: string | null;
          expectedVersion?: number;
          folder?: string | null;
          metadata?: {
            [key: string]: unknown;
          } | null;
          /** @enum {string} */
          onConflict?: 'branch';
          pinned?: boolean | null;
          project?: string | null;
          tags?: string[] | null;
          title?: string | null;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              tree: components['schemas']['TreeView'];
              /** Format: uuid */
              treeId: string;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setActive: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          nodeId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getBookmarks: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: components['schemas']['Bookmark'][];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  branch: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          focus?: string;
          nodeId: string;
          /** @enum {string} */
          onConflict?: 'branch';
          summarize?: boolean;
          summary?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  cherryPick: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          from?: string;
          nodeId: string;
          /** @enum {string} */
          onConflict?: 'branch';
          parentId?: string;
          to?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Grown'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  runCommand: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          activeNodeId?: string | null;
          args?: {
            [key: string]: unknown;
          };
          line?: string;
          list?: string[];
          name?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            data?: unknown;
            list?: string[];
            place?: {
              /** Format: uuid */
              activeNodeId: string | null;
              /** Format: uuid */
              treeId: string;
            };
            said: string;
            selectedText?: string;
            text?: string;
            undo?: string;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  completeCommand: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          activeNodeId?: string | null;
          line: string;
          list?: string[];
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            from: number;
            items: {
              about: string;
              label: string;
              value: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  compact: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          focus?: string;
          model?: string;
          nodeId?: string;
          /** @enum {string} */
          onConflict?: 'branch';
          summary?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getContents: {
    parameters: {
      query: {
        ids: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            messages: {
              [key: string]: {
                [key: string]: unknown;
              };
            };
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getContext: {
    parameters: {
      query?: {
        before?: string;
        limit?: number;
        maxTokens?: string;
        model?: string;
        nodeId?: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            before: string | null;
            compactAt: number;
            compaction: {
              /** Format: uuid */
              nodeId: string;
              summary: string;
            } | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            cost: {
              input: number;
              output: number;
              total: number;
            } | null;
            count: number;
            entries: {
              /** @enum {string} */
              kind: 'system-prompt' | 'message' | 'summary' | 'branch-summary' | 'injected';
              message: components['schemas']['Message'];
              /** Format: uuid */
              nodeId: string | null;
              reported: number | null;
              tokens: number;
            }[];
            estimate: {
              newer: number;
              reported: number | null;
              tokens: number;
            };
            flags: {
              [key: string]: unknown;
            }[];
            known: boolean;
            maxTokens: number;
            model: string;
            /** Format: uuid */
            nodeId: string | null;
            /** @enum {string} */
            room: 'ok' | 'short';
            shares: {
              messages: number;
              summaries: number;
              system: number;
              tools: number;
            };
            tokens: number;
            used: number;
            version: number;
            window: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getDiff: {
    parameters: {
      query: {
        a: string;
        b: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            common: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            left: components['schemas']['Node'][];
            messages: {
              blocks: {
                [key: string]: unknown;
              }[];
              equal: boolean;
              /** Format: uuid */
              left: string;
              /** Format: uuid */
              right: string;
              text: {
                text: string;
                /** @enum {string} */
                type: 'equal' | 'added' | 'removed';
              }[];
            }[];
            right: components['schemas']['Node'][];
            shared: number;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  duplicateTree: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          id?: string;
          nodeId?: string;
          title?: string | null;
          whole?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  exportTree: {
    parameters: {
      query: {
        format: string;
        node?: string;
        thread?: boolean;
        what?: 'tree' | 'branch' | 'path';
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getExportReport: {
    parameters: {
      query: {
        format: string;
        node?: string;
        thread?: boolean;
        what?: 'tree' | 'branch' | 'path';
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExportReport'] & {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  followTree: {
    parameters: {
      query?: {
        since?: number;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listGenerations: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: {
              actId: string | null;
              beatAt: number;
              /** Format: uuid */
              nodeId: string;
              runId: string;
              startedAt: number;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  generate: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          fallbackModel?: string;
          maxTokens?: number;
          merge?: boolean;
          messages?: components['schemas']['MessageInput'][];
          models?: string[];
          n?: number;
          nodeId?: string;
          /** @enum {string} */
          onConflict?: 'branch';
          parentId?: string;
          requestId?: string;
          seed?: number;
          select?: boolean;
          stop?: string[];
          temperature?: number;
          thinking?: {
            budgetTokens?: number;
            /** @enum {string} */
            effort: 'low' | 'medium' | 'high';
          };
          toolChoice?:
            | ('auto' | 'none' | 'required')
            | {
                name: string;
              };
          tools?: string[];
          topP?: number;
          /** @enum {string} */
          type: 'send' | 'reply' | 'regenerate' | 'continue';
        };
      };
    };
    responses: {
      /** @description Begun. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BegunTurn'] & {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  groupNodes: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          nodeIds: string[];
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              [key: string]: unknown;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getHistory: {
    parameters: {
      query?: {
        before?: number;
        limit?: number;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: components['schemas']['CommitSummary'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getVersion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            activeNodeId: string | null;
            bookmarks: components['schemas']['Bookmark'][];
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['TopologyNode'][];
            tree: components['schemas']['TreeView'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getVersionPage: {
    parameters: {
      query?: {
        before?: string;
        limit?: number;
        nodeId?: string;
        siblings?: boolean;
      };
      header?: never;
      path: {
        tree: string;
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            activeNodeId: string | null;
            /** Format: uuid */
            before: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            groups: {
              [key: string]: components['schemas']['Node'][];
            };
            nodes: components['schemas']['Node'][];
            /** Format: uuid */
            rootId: string;
            variants: {
              [key: string]: {
                ids: string[];
                index: number;
                total: number;
              };
            };
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  restoreVersion: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
        version: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              [key: string]: unknown;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  keepTree: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            tree: components['schemas']['TreeView'];
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getLeaves: {
    parameters: {
      query?: {
        limit?: number;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  merge: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          focus?: string;
          into?: string;
          /** @enum {string} */
          mode?: 'summary' | 'messages';
          nodeId: string;
          /** @enum {string} */
          onConflict?: 'branch';
          summary?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  appendMessages: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          merge?: boolean;
          messages: components['schemas']['MessageInput'][];
          /** @enum {string} */
          onConflict?: 'branch';
          parentId?: string;
          select?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Grown'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  clearTree: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              [key: string]: unknown;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  navigate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @enum {string} */
          direction: 'next' | 'previous';
          nodeId: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            bookmark: components['schemas']['Bookmark'] | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            node: components['schemas']['Node'];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  deleteNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        mode?: 'splice' | 'cascade' | 'group';
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Deleted'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  abortNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            aborted: boolean;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setBookmark: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          title: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  removeBookmark: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getChildren: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  editNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          content: string | components['schemas']['Block'][];
          expectedVersion?: number;
          id?: string;
          /** @enum {string} */
          mode?: 'branch' | 'in-place' | 'prefix';
          moveBookmark?: boolean;
          /** @enum {string} */
          onConflict?: 'branch';
          select?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Edited'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getImpact: {
    parameters: {
      query?: {
        mode?: 'splice' | 'cascade' | 'group';
      };
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            active: boolean;
            bookmarks: components['schemas']['Bookmark'][];
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            count: number;
            pending: string[];
            shares: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  joinNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              /** Format: uuid */
              nodeId: string;
              /** Format: uuid */
              removed: string;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  annotateNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          set: {
            [key: string]: unknown;
          };
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  moveNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          before?: string;
          expectedVersion?: number;
          /** @enum {string} */
          onConflict?: 'branch';
          parentId: string;
          treeId?: string;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              /** Format: uuid */
              from?: string;
              /** Format: uuid */
              nodeId: string;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getPathThrough: {
    parameters: {
      query?: {
        limit?: number;
      };
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getSiblings: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            index: number;
            nodes: components['schemas']['Node'][];
            total: number;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  splitNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          id?: string;
          /** @enum {string} */
          onConflict?: 'branch';
          position: number;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            actId: string;
            /** Format: uuid */
            activeNodeId: string | null;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            result: {
              /** Format: uuid */
              nodeId: string;
              /** Format: uuid */
              right: string;
            };
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  followNode: {
    parameters: {
      query?: {
        offset?: number;
      };
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setTags: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          tags: string[];
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setTitle: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          title: string | null;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  deleteNodes: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expectedVersion?: number;
          /** @enum {string} */
          mode?: 'splice' | 'cascade';
          nodeIds: string[];
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Deleted'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getPage: {
    parameters: {
      query?: {
        after?: string;
        before?: string;
        format?: 'tree' | 'linear';
        limit?: number;
        nodeId?: string;
        siblings?: boolean;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ThreadPage'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getPath: {
    parameters: {
      query?: {
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['Node'][];
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  redo: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          actId?: string;
          expectedVersion?: number;
          force?: boolean;
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Reversed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  restoreTree: {
    parameters: {
      query?: never;
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChangedTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listTreeShares: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: components['schemas']['Share'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  createShare: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          expiresAt?: number | null;
          fields?: ('system-prompt' | 'tools' | 'thinking' | 'models' | 'usage' | 'times')[];
          nodeId?: string;
          title?: string | null;
        };
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            share: components['schemas']['Share'];
            token: string;
            url: string;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  setSystemPrompt: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          id?: string;
          systemPrompt: string | null;
          whole?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getTopology: {
    parameters: {
      query?: {
        depth?: number;
        from?: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            activeNodeId: string | null;
            bookmarks: components['schemas']['Bookmark'][];
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            nodes: components['schemas']['TopologyNode'][];
            /** Format: uuid */
            rootId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getTopologyColumns: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: uuid */
            activeNodeId: string | null;
            bookmarks: components['schemas']['Bookmark'][];
            columns: components['schemas']['TopologyColumns'];
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** Format: uuid */
            rootId: string;
            version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getTrash: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: components['schemas']['TrashItem'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  emptyTrash: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            contents: number;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees that hold copies of what was purged. */
            copies: {
              nodes: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
            nodes: number;
            /** @description Whether files still hold purged bytes, because another process is reading them. */
            uncleared: boolean;
            /** @description Attachments that stay for now: they were uploaded less than an hour ago. */
            waitingAttachments: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  purgeNode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            contents: number;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees that hold copies of what was purged. */
            copies: {
              nodes: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
            nodes: number;
            /** @description Whether files still hold purged bytes, because another process is reading them. */
            uncleared: boolean;
            /** @description Attachments that stay for now: they were uploaded less than an hour ago. */
            waitingAttachments: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  restoreNode: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        node: string;
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  undo: {
    parameters: {
      query?: {
        expectedVersion?: number;
        onConflict?: 'branch';
      };
      header?: {
        /** @description The version of the tree that was seen, in quotes. */
        'if-match'?: string;
      };
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          actId?: string;
          expectedVersion?: number;
          force?: boolean;
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Reversed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  undoAnywhere: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          force?: boolean;
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ReversedAnywhere'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  listUsers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['User'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  createUser: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          id?: string;
          name: string;
          /** @enum {string} */
          role?: 'admin' | 'member' | 'viewer';
        };
      };
    };
    responses: {
      /** @description Made. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            token: string;
            user: components['schemas']['User'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  patchUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          disabled?: boolean;
          name?: string;
          /** @enum {string} */
          role?: 'admin' | 'member' | 'viewer';
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            user: components['schemas']['User'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            recorder: {
              dropped: number;
              failed: number;
              /** @enum {string} */
              health: 'recording' | 'paused' | 'behind' | 'failing';
              spilled: number;
              unacknowledged: number;
              waiting: number;
            };
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  callMcp: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['McpProblem'] | components['schemas']['Problem'];
        };
      };
    };
  };
  getMetrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  proxyChatCompletionsOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'];
        };
      };
    };
  };
  proxyEmbeddingsOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'] | components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyMessagesOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyCountTokensOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyModelsOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'] | components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyResponsesOfProject: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'];
        };
      };
    };
  };
  getReadiness: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  proxyChatCompletions: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'];
        };
      };
    };
  };
  proxyEmbeddings: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'] | components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyMessages: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyCountTokens: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyModels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'] | components['schemas']['AnthropicProblem'];
        };
      };
    };
  };
  proxyResponses: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        '*/*': string;
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OpenAiProblem'];
        };
      };
    };
  };
}
