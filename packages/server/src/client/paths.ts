/* Generated from the table of routes: npm run client -w @coppice/server. Do not edit. */

export interface paths {
  readonly '/api/attachments': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Stores bytes under their hash; the media type is that of the request. The same bytes again are the same attachment. */
    readonly post: operations['uploadAttachment'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/attachments/{hash}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The bytes, or a range of them. They never change, so they may be kept for good. */
    readonly get: operations['getAttachment'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/commands': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Every command with its usage, its arguments as JSON Schema, and examples. */
    readonly get: operations['listCommands'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/docs': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** This API as a page to read. It loads nothing from anywhere. */
    readonly get: operations['getReference'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/feed': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Server-sent events: `tree` (id = cursor, data = treeId and version) for every change in any of your trees. */
    readonly get: operations['followTrees'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/folders': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The folders that trees are in, with how many each has. */
    readonly get: operations['listFolders'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/folders/{name}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    /** Renames a folder in every tree that is in it; null takes them out of it. */
    readonly patch: operations['renameFolder'];
    readonly trace?: never;
  };
  readonly '/api/generations/{act}/abort': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Stops a turn; what was said is kept. Again is harmless. */
    readonly post: operations['abortGeneration'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/generations/{act}/approvals/{call}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Lets a turn run a tool that it asked for, or not; `remember` lets that tool run from now on. */
    readonly post: operations['approveCall'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/generations/{act}/events': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Server-sent events of a turn of this process (id = index, data = the event), from `from` or after Last-Event-ID to the last. */
    readonly get: operations['followGeneration'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/mcp': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The MCP servers of the operator’s configuration, how each is, and what its tools are like. */
    readonly get: operations['listMcpServers'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/mcp/approvals': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Takes a changed tool, or all changed tools of a server, as it is now. The hash is that of what was shown. */
    readonly post: operations['approveMcpTool'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/me': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Who you are here, and whether there are others. */
    readonly get: operations['getMe'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/models': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Every model that can be asked, those that are ready first, and the one of choice. */
    readonly get: operations['listModels'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/models/refresh': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Asks every provider that is ready which models it has. */
    readonly post: operations['refreshModels'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/openapi.json': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** This API as an OpenAPI 3.1 document. */
    readonly get: operations['getOpenApi'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/search': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Messages in which all words of the query occur as they are written, in every branch, newest first. */
    readonly get: operations['search'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/settings': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What the operator has set, as far as it may be seen: no key, and no path on the machine. */
    readonly get: operations['getSettings'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/shared/{token}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What a link shows, to whoever has it. */
    readonly get: operations['getShared'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/shares': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** All your links. */
    readonly get: operations['listShares'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/shares/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** Revokes a link; it leads nowhere from now on. */
    readonly delete: operations['revokeShare'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/tags': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The tags that trees carry, with how many carry each. */
    readonly get: operations['listTags'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/tokens': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Your tokens; what they are is not kept. */
    readonly get: operations['listTokens'];
    readonly put?: never;
    /** Makes a token for you, or, as an admin, for somebody else. It is shown this once. */
    readonly post: operations['createToken'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/tokens/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** Revokes a token of yours; it is good for nothing from now on. */
    readonly delete: operations['revokeToken'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/tools': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The tools that models may call. */
    readonly get: operations['listTools'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Lists trees, the one that changed last first. */
    readonly get: operations['listTrees'];
    readonly put?: never;
    /** Makes a tree, with first messages if there are any. The same id again gives the same tree. */
    readonly post: operations['createTree'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** One tree; as `linear` with the messages of its active path, for programs that know no branches. */
    readonly get: operations['getTree'];
    readonly put?: never;
    readonly post?: never;
    /** Puts a tree into the trash; with `purge` takes it out of there for good. A temporary tree is discarded. */
    readonly delete: operations['deleteTree'];
    readonly options?: never;
    readonly head?: never;
    /** Changes what is noted about a tree; null takes a note away. The system prompt never changes. */
    readonly patch: operations['patchTree'];
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/active': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    /** Goes to a node. Needs no version: the last one wins. */
    readonly put: operations['setActive'];
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/bookmarks': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The bookmarks of a tree. */
    readonly get: operations['getBookmarks'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/branch': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Goes elsewhere to go on from there; with a summary of what is left behind, given or written by a model. */
    readonly post: operations['branch'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/cherry-pick': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Copies a message, or a range, to the end of the active branch or below the parent that is named. */
    readonly post: operations['cherryPick'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/commands': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Runs a command, as a line or by name and arguments. It plans under the lock of the tree and needs no version. */
    readonly post: operations['runCommand'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/commands/complete': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** How a line could go on. */
    readonly post: operations['completeCommand'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/compact': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Has older messages of a branch give way to a summary; nothing is deleted. */
    readonly post: operations['compact'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/contents': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The messages of some nodes, by id; what is not there is left out. */
    readonly get: operations['getContents'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/context': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What a model would see at a node: every message with its tokens, how full the window is, and what a reply costs. */
    readonly get: operations['getContext'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/diff': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What two branches have in common and what each has for itself, with the words that differ pair by pair. */
    readonly get: operations['getDiff'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/duplicate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Copies a tree up to a node, or whole, into a new one. */
    readonly post: operations['duplicateTree'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/feed': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Server-sent events: `commit` (id = version, data = the commit and its nodes), `delta` (text of a reply on its way, no id), `approval`, `reset`. Goes on without gap after Last-Event-ID, or from `since`. */
    readonly get: operations['followTree'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/generations': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The replies that are being written in a tree, by whatever process. */
    readonly get: operations['listGenerations'];
    readonly put?: never;
    /** Begins replies: to a message that is said with it, to a node, again, or on from where one was cut short. */
    readonly post: operations['generate'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/group': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Puts variants of one parent into a group of their own, or a single node into none. */
    readonly post: operations['groupNodes'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/history': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The commits of a tree, newest first, before a version. */
    readonly get: operations['getHistory'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/history/{version}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The tree as it was after a version, without content. */
    readonly get: operations['getVersion'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/history/{version}/page': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** A page of a branch as it was after a version. */
    readonly get: operations['getVersionPage'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/history/{version}/restore': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Makes the tree again what it was after a version, as a new commit. */
    readonly post: operations['restoreVersion'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/keep': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Keeps a temporary tree: ids, order, groups and pointer stay as they are. */
    readonly post: operations['keepTree'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/leaves': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The newest ends of branches, newest first. */
    readonly get: operations['getLeaves'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/merge': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Brings a branch back to the active one, or to the one that is named: as one summary, or as its messages. */
    readonly post: operations['merge'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/messages': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Adds a chain of messages below a node, reusing what is there already. */
    readonly post: operations['appendMessages'];
    /** Takes every message out, into the trash; the tree stays. */
    readonly delete: operations['clearTree'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/navigate': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Goes to the variant before or after a node, and down to the leaf that was last visited there. */
    readonly post: operations['navigate'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** One node. */
    readonly get: operations['getNode'];
    readonly put?: never;
    readonly post?: never;
    /** Takes a node into the trash: its children take its place, or all below goes, or its whole group goes. */
    readonly delete: operations['deleteNode'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/abort': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Stops whatever writes a node, in this process or another; what was said is kept. */
    readonly post: operations['abortNode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/bookmark': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    /** Sets or retitles the bookmark of a node. */
    readonly put: operations['setBookmark'];
    readonly post?: never;
    /** Takes the bookmark of a node away. */
    readonly delete: operations['removeBookmark'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/children': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What hangs on a node, in order; the root may be named too. */
    readonly get: operations['getChildren'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/edit': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Says a message differently: as a variant beside it, in place with the old text kept, or split at the prefix. */
    readonly post: operations['editNode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/impact': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What a delete would take and what points there. */
    readonly get: operations['getImpact'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/meta': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    /** Sets notes on a node; null takes one away. `excluded` leaves it out of what models see. */
    readonly patch: operations['annotateNode'];
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/move': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Hangs a branch elsewhere, in this tree or, as a copy and a removal, in another. The version is the destination’s. */
    readonly post: operations['moveNode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/path': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The path through a node down to the leaf that was last visited below it. */
    readonly get: operations['getPathThrough'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/siblings': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The variants of a node, itself among them, and which it is. */
    readonly get: operations['getSiblings'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/split': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Cuts a message of text in two; the new node is the left half. */
    readonly post: operations['splitNode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/stream': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Server-sent events of one reply, whichever process writes it: `text-delta` (id = offset after it), then `end` or `error`. */
    readonly get: operations['followNode'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/tags': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    /** Gives a node its tags. */
    readonly put: operations['setTags'];
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/{node}/title': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    /** Gives a node a title; null takes it away. */
    readonly put: operations['setTitle'];
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/nodes/delete': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Takes several nodes into the trash as one. */
    readonly post: operations['deleteNodes'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/page': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The last messages of a branch, or those above a cursor, with where each stands among its variants. */
    readonly get: operations['getPage'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/path': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The way from a node, or the first turn, down to another, both included; to the active node if none is named. */
    readonly get: operations['getPath'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/redo': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Does again what you undid last, unless you did something since. */
    readonly post: operations['redo'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/restore': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Takes a tree out of the trash. */
    readonly post: operations['restoreTree'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/shares': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The links to a tree of yours. */
    readonly get: operations['listTreeShares'];
    readonly put?: never;
    /** Shares the path to a node as it is now. The link is shown this once; nothing that comes later is in it. */
    readonly post: operations['createShare'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/system-prompt': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    /** Copies the active path, or all of the tree, into a new tree with another system prompt; the old one stays. */
    readonly put: operations['setSystemPrompt'];
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/topology': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The tree without what it says, flat: all of it, or what is below a node down to a depth. */
    readonly get: operations['getTopology'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/trash': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** What was deleted in a tree and can come back. */
    readonly get: operations['getTrash'];
    readonly put?: never;
    readonly post?: never;
    /** Takes everything that was deleted for good. */
    readonly delete: operations['emptyTrash'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/trash/{node}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    /** Takes a deleted node for good, with what went with it. */
    readonly delete: operations['purgeNode'];
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/trash/{node}/restore': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Brings a deleted node back, with what went with it. */
    readonly post: operations['restoreNode'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/trees/{tree}/undo': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    /** Takes back your newest act, or the one that is named; what others hung below it refuses that unless forced. */
    readonly post: operations['undo'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/users': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** The users of a shared server. */
    readonly get: operations['listUsers'];
    readonly put?: never;
    /** Lets somebody in; with a first token, which is shown this once. */
    readonly post: operations['createUser'];
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/api/users/{id}': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly get?: never;
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    /** Renames a user, changes the role, or shuts somebody out and lets them in again. */
    readonly patch: operations['patchUser'];
    readonly trace?: never;
  };
  readonly '/healthz': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Whether the process answers. Says nothing else to anybody. */
    readonly get: operations['getHealth'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/metrics': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Figures in the text format of Prometheus; for admins, since they tell how much is done here. */
    readonly get: operations['getMetrics'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
  readonly '/readyz': {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    /** Whether the store answers; 503 while it does not. */
    readonly get: operations['getReadiness'];
    readonly put?: never;
    readonly post?: never;
    readonly delete?: never;
    readonly options?: never;
    readonly head?: never;
    readonly patch?: never;
    readonly trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    readonly BegunTurn: {
      readonly actId: string;
      readonly nodes: readonly {
        /** Format: uuid */
        readonly nodeId: string;
        /** Format: uuid */
        readonly parentId: string;
        readonly runId: string | null;
      }[];
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly BlobInfo: {
      readonly hash: string;
      readonly mediaType: string;
      readonly size: number;
    };
    readonly Block: {
      readonly type: string;
    } & {
      readonly [key: string]: unknown;
    };
    readonly Bookmark: {
      readonly createdAt: number;
      /** Format: uuid */
      readonly nodeId: string;
      readonly title: string;
      readonly updatedAt: number;
    };
    readonly ChangedTree: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        /** Format: uuid */
        readonly treeId: string;
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly Command: {
      readonly examples: readonly {
        readonly about: string;
        readonly line: string;
      }[];
      readonly name: string;
      readonly schema: {
        readonly [key: string]: unknown;
      };
      readonly summary: string;
      readonly usage: string;
    };
    readonly CommitSummary: {
      readonly actId: string;
      readonly actor: string;
      readonly at: number;
      /** @enum {string} */
      readonly kind: 'do' | 'undo' | 'redo';
      readonly steps: {
        readonly [key: string]: number;
      };
      readonly structural: boolean;
      readonly version: number;
    };
    readonly Deleted: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        /** Format: uuid */
        readonly activeNodeId: string | null;
        readonly bookmarks: {
          readonly moved: readonly components['schemas']['Bookmark'][];
          readonly removed: readonly components['schemas']['Bookmark'][];
        };
        /** Format: uuid */
        readonly parentId: string | null;
        readonly removed: readonly string[];
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly Grown: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        readonly added: readonly string[];
        /** Format: uuid */
        readonly nodeId: string;
        readonly reused?: readonly string[];
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly Landed: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        readonly [key: string]: unknown;
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly MadeTree: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        readonly created: boolean;
        readonly tree: components['schemas']['TreeView'];
        /** Format: uuid */
        readonly treeId: string;
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly Message: {
      readonly content: readonly components['schemas']['Block'][];
      /** @enum {string} */
      readonly role: 'user' | 'assistant' | 'tool' | 'system';
      readonly tool_call_id?: string;
    };
    readonly MessageInput: {
      readonly content: string | readonly components['schemas']['Block'][];
      readonly id?: string;
      readonly meta?: {
        readonly [key: string]: unknown;
      };
      /** @enum {string} */
      readonly role: 'user' | 'assistant' | 'tool' | 'system';
      readonly tool_call_id?: string;
    };
    readonly ModelChoice: {
      readonly capabilities: {
        readonly images: boolean;
        readonly thinking: boolean;
        readonly tools: boolean;
      };
      readonly id: string;
      readonly label: string;
      readonly maxOut: number;
      readonly missing: string | null;
      readonly price: {
        readonly cacheRead: number;
        readonly cacheWrite: number;
        readonly input: number;
        readonly output: number;
      } | null;
      readonly provider: string;
      readonly providerLabel: string;
      readonly ready: boolean;
      readonly window: number;
    };
    readonly Node: {
      readonly addedIn: number;
      readonly aliases: readonly {
        readonly key: string;
        /** Format: uuid */
        readonly matchParent: string;
      }[];
      readonly contentIn: number;
      readonly createdAt: number;
      readonly groupId: number;
      /** Format: uuid */
      readonly id: string;
      readonly key: string | null;
      /** @enum {string} */
      readonly kind: 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
      /** Format: uuid */
      readonly lastChildId: string | null;
      readonly marker: {
        readonly [key: string]: unknown;
      };
      /** Format: uuid */
      readonly matchParent: string | null;
      readonly message: components['schemas']['Message'] & (Record<string, never> | null);
      readonly meta: {
        readonly [key: string]: unknown;
      };
      /** Format: uuid */
      readonly parentId: string | null;
      readonly position: string;
      readonly removedIn: number | null;
      /** @enum {string} */
      readonly role: 'user' | 'assistant' | 'tool' | 'system' | 'root';
      readonly seq: number;
      /** @enum {string} */
      readonly status: 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
      readonly text: string;
      readonly tokens: number;
    };
    readonly Problem: {
      readonly error: {
        readonly code: string;
        readonly data: {
          readonly [key: string]: unknown;
        };
        /** @enum {string} */
        readonly kind: 'invalid' | 'not-found' | 'conflict' | 'refused' | 'unavailable' | 'aborted' | 'internal';
        readonly message: string;
      };
    };
    readonly Reversed: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        readonly actId: string;
        /** Format: uuid */
        readonly activeNodeId: string | null;
        readonly versions: readonly number[];
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly SearchHit: {
      readonly createdAt: number;
      /** Format: uuid */
      readonly nodeId: string;
      /** @enum {string} */
      readonly role: 'user' | 'assistant' | 'tool' | 'system';
      readonly snippet: string;
      readonly title: string | null;
      /** Format: uuid */
      readonly treeId: string;
    };
    readonly Share: {
      readonly createdAt: number;
      readonly expiresAt: number | null;
      readonly fields: readonly string[];
      readonly id: string;
      readonly nodeIds: readonly string[];
      readonly revokedAt: number | null;
      readonly title: string | null;
      /** Format: uuid */
      readonly treeId: string;
    };
    readonly ThreadPage: {
      /** Format: uuid */
      readonly activeNodeId: string | null;
      /** Format: uuid */
      readonly before: string | null;
      readonly bookmarks: {
        readonly [key: string]: components['schemas']['Bookmark'];
      };
      /** @enum {string} */
      readonly conversation_format: 'tree' | 'linear';
      readonly groups: {
        readonly [key: string]: readonly components['schemas']['Node'][];
      };
      readonly nodes: readonly components['schemas']['Node'][];
      /** Format: uuid */
      readonly rootId: string;
      readonly runs: {
        readonly [key: string]: string;
      };
      readonly variants: {
        readonly [key: string]: {
          readonly ids: readonly string[];
          readonly index: number;
          readonly total: number;
        };
      };
      readonly version: number;
    };
    readonly Token: {
      readonly createdAt: number;
      readonly expiresAt: number | null;
      readonly id: string;
      readonly name: string;
      readonly revokedAt: number | null;
      readonly usedAt: number | null;
      readonly userId: string;
    };
    readonly Tool: {
      readonly description: string;
      readonly name: string;
      readonly parameters: {
        readonly [key: string]: unknown;
      };
      readonly sideEffects: boolean;
    };
    readonly TopologyNode: {
      readonly childCount: number;
      readonly createdAt: number;
      readonly groupId: number;
      readonly hasChildren: boolean;
      /** Format: uuid */
      readonly id: string;
      /** @enum {string} */
      readonly kind: 'root' | 'message' | 'branch-summary' | 'compaction' | 'injected' | 'state';
      /** Format: uuid */
      readonly parentId: string;
      readonly position: string;
      readonly preview: string;
      /** @enum {string} */
      readonly role: 'user' | 'assistant' | 'tool' | 'system' | 'root';
      readonly seq: number;
      /** @enum {string} */
      readonly status: 'pending' | 'success' | 'interrupted' | 'aborted' | 'error';
      readonly tokens: number;
    };
    readonly Touched: {
      /** Format: uuid */
      readonly actId: string;
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly nodes: readonly components['schemas']['Node'][];
      readonly result: {
        /** Format: uuid */
        readonly nodeId: string;
      };
      /** Format: uuid */
      readonly treeId: string;
      readonly version: number;
    };
    readonly TrashItem: {
      readonly at: number;
      readonly count: number;
      /** Format: uuid */
      readonly nodeId: string;
      readonly preview: string;
      readonly removedIn: number;
      /** Format: uuid */
      readonly treeId: string;
    };
    readonly TreeView: {
      /** Format: uuid */
      readonly activeNodeId: string | null;
      readonly autoTitle: string | null;
      /** @enum {string} */
      readonly conversation_format: 'tree' | 'linear';
      readonly copiedFrom: {
        /** Format: uuid */
        readonly nodeId?: string;
        /** Format: uuid */
        readonly treeId: string;
      } | null;
      readonly createdAt: number;
      readonly deletedAt: number | null;
      readonly folder: string | null;
      readonly forest: boolean;
      /** Format: uuid */
      readonly id: string;
      readonly messageCount?: number;
      readonly metadata: {
        readonly [key: string]: unknown;
      };
      readonly pinned: boolean;
      readonly project: string | null;
      /** Format: uuid */
      readonly rootId: string;
      readonly structureVersion: number;
      readonly systemPrompt?: string;
      readonly tags: readonly string[];
      readonly temporary: boolean;
      readonly title: string | null;
      readonly updatedAt: number;
      readonly version: number;
    };
    readonly User: {
      readonly createdAt: number;
      readonly disabledAt: number | null;
      readonly id: string;
      readonly name: string;
      /** @enum {string} */
      readonly role: 'admin' | 'member' | 'viewer';
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
  readonly uploadAttachment: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly '*/*': string;
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['BlobInfo'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getAttachment: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly hash: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/octet-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listCommands: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Command'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getReference: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/html': string;
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly followTrees: {
    readonly parameters: {
      readonly query?: {
        readonly since?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listFolders: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly {
              readonly count: number;
              readonly name: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly renameFolder: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly name: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly name: string | null;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly changed: number;
            readonly name: string | null;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly abortGeneration: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly act: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly aborted: boolean;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly approveCall: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly act: string;
        readonly call: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly approve: boolean;
          readonly remember?: boolean;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly approved: boolean;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly followGeneration: {
    readonly parameters: {
      readonly query?: {
        readonly from?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly act: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listMcpServers: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly servers: readonly {
              readonly [key: string]: unknown;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly approveMcpTool: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly hash?: string;
          readonly tool: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly approved: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getMe: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly id: string;
            /** @enum {string} */
            readonly mode: 'token' | 'users';
            readonly name: string;
            /** @enum {string} */
            readonly role: 'admin' | 'member' | 'viewer';
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listModels: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly default: string;
            readonly items: readonly components['schemas']['ModelChoice'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly refreshModels: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly default: string;
            readonly items: readonly components['schemas']['ModelChoice'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getOpenApi: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly [key: string]: unknown;
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly search: {
    readonly parameters: {
      readonly query: {
        readonly cursor?: string;
        readonly limit?: number;
        readonly project?: string;
        readonly q: string;
        readonly role?: string;
        readonly treeId?: string;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly cursor: string | null;
            readonly items: readonly components['schemas']['SearchHit'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getSettings: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly budgets: {
              readonly dayUsd: number | null;
              readonly turnTokens: number | null;
              readonly turnUsd: number | null;
            };
            readonly defaultModel: string;
            readonly limits: {
              readonly attachmentBytes: number;
              readonly bodyBytes: number;
            };
            readonly providers: readonly {
              readonly enabled: boolean;
              readonly key: boolean;
              readonly kind: string;
              readonly label: string;
              readonly name: string;
            }[];
            readonly quotas: {
              readonly generations: number;
              readonly streams: number;
              readonly temporaryTrees: number;
            };
            readonly store: {
              readonly kind: string;
              readonly notes: readonly string[];
              readonly readOnly: boolean;
              readonly search: boolean;
            };
            readonly tools: {
              /** @enum {string} */
              readonly approval: 'ask' | 'never' | 'always';
              readonly calls: number;
              readonly rounds: number;
            };
            readonly warnings: readonly string[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getShared: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly token: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly createdAt: number;
            readonly messages: readonly {
              readonly content: readonly components['schemas']['Block'][];
              readonly createdAt?: number;
              /** Format: uuid */
              readonly id: string;
              readonly model?: string;
              /** @enum {string} */
              readonly role: 'user' | 'assistant' | 'tool' | 'system';
              readonly usage?: unknown;
            }[];
            readonly systemPrompt?: string;
            readonly title: string | null;
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listShares: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Share'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly revokeShare: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly share: components['schemas']['Share'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listTags: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly {
              readonly count: number;
              readonly name: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listTokens: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Token'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createToken: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expiresAt?: number | null;
          readonly name: string;
          readonly userId?: string;
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly secret: string;
            readonly token: components['schemas']['Token'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly revokeToken: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly token: components['schemas']['Token'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listTools: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Tool'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listTrees: {
    readonly parameters: {
      readonly query?: {
        readonly cursor?: string;
        readonly folder?: string;
        readonly forest?: boolean;
        readonly limit?: number;
        readonly pinned?: boolean;
        readonly project?: string;
        readonly tag?: string;
        readonly title?: string;
        readonly trashed?: boolean;
      };
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly cursor: string | null;
            readonly items: readonly components['schemas']['TreeView'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createTree: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly folder?: string;
          readonly id?: string;
          readonly messages?: readonly components['schemas']['MessageInput'][];
          readonly metadata?: {
            readonly [key: string]: unknown;
          };
          readonly pinned?: boolean;
          readonly project?: string;
          readonly rootId?: string;
          readonly systemPrompt?: string;
          readonly tags?: readonly string[];
          readonly temporary?: boolean;
          readonly title?: string;
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getTree: {
    readonly parameters: {
      readonly query?: {
        readonly count?: boolean;
        readonly format?: 'tree' | 'linear';
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['TreeView'] & {
            readonly messages?: readonly (components['schemas']['Message'] & {
              readonly createdAt: number;
              /** Format: uuid */
              readonly id: string;
              readonly status: string;
            })[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly deleteTree: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
        readonly purge?: boolean;
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** @enum {string} */
            readonly state: 'trashed' | 'purged' | 'discarded';
            /** Format: uuid */
            readonly treeId: string;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly patchTree: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly autoTitle?: string | null;
          readonly expectedVersion?: number;
          readonly folder?: string | null;
          readonly metadata?: {
            readonly [key: string]: unknown;
          };
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly pinned?: boolean | null;
          readonly project?: string | null;
          readonly tags?: readonly string[] | null;
          readonly title?: string | null;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              readonly tree: components['schemas']['TreeView'];
              /** Format: uuid */
              readonly treeId: string;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly setActive: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly nodeId: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getBookmarks: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Bookmark'][];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly branch: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly focus?: string;
          readonly nodeId: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly summarize?: boolean;
          readonly summary?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly cherryPick: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly from?: string;
          readonly nodeId: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly parentId?: string;
          readonly to?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Grown'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly runCommand: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly activeNodeId?: string | null;
          readonly args?: {
            readonly [key: string]: unknown;
          };
          readonly line?: string;
          readonly list?: readonly string[];
          readonly name?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly data?: unknown;
            readonly list?: readonly string[];
            readonly place?: {
              /** Format: uuid */
              readonly activeNodeId: string | null;
              /** Format: uuid */
              readonly treeId: string;
            };
            readonly said: string;
            readonly selectedText?: string;
            readonly text?: string;
            readonly undo?: string;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly completeCommand: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly activeNodeId?: string | null;
          readonly line: string;
          readonly list?: readonly string[];
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly from: number;
            readonly items: readonly {
              readonly about: string;
              readonly label: string;
              readonly value: string;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly compact: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly focus?: string;
          readonly model?: string;
          readonly nodeId?: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly summary?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getContents: {
    readonly parameters: {
      readonly query: {
        readonly ids: string;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly messages: {
              readonly [key: string]: {
                readonly [key: string]: unknown;
              };
            };
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getContext: {
    readonly parameters: {
      readonly query?: {
        readonly maxTokens?: string;
        readonly model?: string;
        readonly nodeId?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly compactAt: number;
            readonly compaction: {
              /** Format: uuid */
              readonly nodeId: string;
              readonly summary: string;
            } | null;
            readonly cost: {
              readonly input: number;
              readonly output: number;
              readonly total: number;
            } | null;
            readonly entries: readonly {
              /** @enum {string} */
              readonly kind: 'system-prompt' | 'message' | 'summary' | 'branch-summary' | 'injected';
              readonly message: components['schemas']['Message'];
              /** Format: uuid */
              readonly nodeId: string | null;
              readonly reported: number | null;
              readonly tokens: number;
            }[];
            readonly estimate: {
              readonly newer: number;
              readonly reported: number | null;
              readonly tokens: number;
            };
            readonly flags: readonly {
              readonly [key: string]: unknown;
            }[];
            readonly known: boolean;
            readonly maxTokens: number;
            readonly model: string;
            /** Format: uuid */
            readonly nodeId: string | null;
            /** @enum {string} */
            readonly room: 'ok' | 'short';
            readonly tokens: number;
            readonly used: number;
            readonly version: number;
            readonly window: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getDiff: {
    readonly parameters: {
      readonly query: {
        readonly a: string;
        readonly b: string;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly common: string | null;
            readonly left: readonly components['schemas']['Node'][];
            readonly messages: readonly {
              readonly blocks: readonly {
                readonly [key: string]: unknown;
              }[];
              readonly equal: boolean;
              /** Format: uuid */
              readonly left: string;
              /** Format: uuid */
              readonly right: string;
              readonly text: readonly {
                readonly text: string;
                /** @enum {string} */
                readonly type: 'equal' | 'added' | 'removed';
              }[];
            }[];
            readonly right: readonly components['schemas']['Node'][];
            readonly shared: number;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly duplicateTree: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly id?: string;
          readonly nodeId?: string;
          readonly title?: string | null;
          readonly whole?: boolean;
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly followTree: {
    readonly parameters: {
      readonly query?: {
        readonly since?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listGenerations: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly {
              readonly actId: string | null;
              readonly beatAt: number;
              /** Format: uuid */
              readonly nodeId: string;
              readonly runId: string;
              readonly startedAt: number;
            }[];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly generate: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly fallbackModel?: string;
          readonly maxTokens?: number;
          readonly merge?: boolean;
          readonly messages?: readonly components['schemas']['MessageInput'][];
          readonly models?: readonly string[];
          readonly n?: number;
          readonly nodeId?: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly parentId?: string;
          readonly requestId?: string;
          readonly seed?: number;
          readonly select?: boolean;
          readonly stop?: readonly string[];
          readonly temperature?: number;
          readonly thinking?: {
            readonly budgetTokens?: number;
            /** @enum {string} */
            readonly effort: 'low' | 'medium' | 'high';
          };
          readonly toolChoice?:
            | ('auto' | 'none' | 'required')
            | {
                readonly name: string;
              };
          readonly tools?: readonly string[];
          readonly topP?: number;
          /** @enum {string} */
          readonly type: 'send' | 'reply' | 'regenerate' | 'continue';
        };
      };
    };
    readonly responses: {
      /** @description Begun. */
      readonly 202: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['BegunTurn'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly groupNodes: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly nodeIds: readonly string[];
          /** @enum {string} */
          readonly onConflict?: 'branch';
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              readonly [key: string]: unknown;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getHistory: {
    readonly parameters: {
      readonly query?: {
        readonly before?: number;
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['CommitSummary'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getVersion: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
        readonly version: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly bookmarks: readonly components['schemas']['Bookmark'][];
            readonly nodes: readonly components['schemas']['TopologyNode'][];
            readonly tree: components['schemas']['TreeView'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getVersionPage: {
    readonly parameters: {
      readonly query?: {
        readonly before?: string;
        readonly limit?: number;
        readonly nodeId?: string;
        readonly siblings?: boolean;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
        readonly version: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly activeNodeId: string | null;
            /** Format: uuid */
            readonly before: string | null;
            readonly groups: {
              readonly [key: string]: readonly components['schemas']['Node'][];
            };
            readonly nodes: readonly components['schemas']['Node'][];
            /** Format: uuid */
            readonly rootId: string;
            readonly variants: {
              readonly [key: string]: {
                readonly ids: readonly string[];
                readonly index: number;
                readonly total: number;
              };
            };
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly restoreVersion: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
        readonly version: number;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              readonly [key: string]: unknown;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly keepTree: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly tree: components['schemas']['TreeView'];
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getLeaves: {
    readonly parameters: {
      readonly query?: {
        readonly limit?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly nodes: readonly components['schemas']['Node'][];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly merge: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly focus?: string;
          readonly into?: string;
          /** @enum {string} */
          readonly mode?: 'summary' | 'messages';
          readonly nodeId: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly summary?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Landed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly appendMessages: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly merge?: boolean;
          readonly messages: readonly components['schemas']['MessageInput'][];
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly parentId?: string;
          readonly select?: boolean;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Grown'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly clearTree: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              readonly [key: string]: unknown;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly navigate: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          /** @enum {string} */
          readonly direction: 'next' | 'previous';
          readonly nodeId: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getNode: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly bookmark: components['schemas']['Bookmark'] & (Record<string, never> | null);
            readonly node: components['schemas']['Node'];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly deleteNode: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly mode?: 'splice' | 'cascade' | 'group';
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Deleted'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly abortNode: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly aborted: boolean;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly setBookmark: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly title: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly removeBookmark: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getChildren: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly nodes: readonly components['schemas']['Node'][];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly editNode: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly content: string | readonly components['schemas']['Block'][];
          readonly expectedVersion?: number;
          readonly id?: string;
          /** @enum {string} */
          readonly mode?: 'branch' | 'in-place' | 'prefix';
          readonly moveBookmark?: boolean;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly select?: boolean;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Grown'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getImpact: {
    readonly parameters: {
      readonly query?: {
        readonly mode?: 'splice' | 'cascade' | 'group';
      };
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly active: boolean;
            readonly bookmarks: readonly components['schemas']['Bookmark'][];
            readonly count: number;
            readonly pending: readonly string[];
            readonly shares: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly annotateNode: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly set: {
            readonly [key: string]: unknown;
          };
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly moveNode: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly before?: string;
          readonly expectedVersion?: number;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly parentId: string;
          readonly treeId?: string;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              /** Format: uuid */
              readonly from?: string;
              /** Format: uuid */
              readonly nodeId: string;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getPathThrough: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly nodes: readonly components['schemas']['Node'][];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getSiblings: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly index: number;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly total: number;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly splitNode: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          readonly id?: string;
          /** @enum {string} */
          readonly onConflict?: 'branch';
          readonly position: number;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly actId: string;
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly nodes: readonly components['schemas']['Node'][];
            readonly result: {
              /** Format: uuid */
              readonly nodeId: string;
              /** Format: uuid */
              readonly right: string;
            };
            /** Format: uuid */
            readonly treeId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly followNode: {
    readonly parameters: {
      readonly query?: {
        readonly offset?: number;
      };
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/event-stream': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly setTags: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly tags: readonly string[];
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly setTitle: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly title: string | null;
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly deleteNodes: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expectedVersion?: number;
          /** @enum {string} */
          readonly mode?: 'splice' | 'cascade';
          readonly nodeIds: readonly string[];
          /** @enum {string} */
          readonly onConflict?: 'branch';
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Deleted'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 428: Say which version you have seen. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getPage: {
    readonly parameters: {
      readonly query?: {
        readonly before?: string;
        readonly limit?: number;
        readonly nodeId?: string;
        readonly siblings?: boolean;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ThreadPage'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getPath: {
    readonly parameters: {
      readonly query?: {
        readonly from?: string;
        readonly to?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly nodes: readonly components['schemas']['Node'][];
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly redo: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly actId?: string;
          readonly expectedVersion?: number;
          readonly force?: boolean;
          /** @enum {string} */
          readonly onConflict?: 'branch';
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Reversed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly restoreTree: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['ChangedTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listTreeShares: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['Share'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createShare: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly expiresAt?: number | null;
          readonly fields?: readonly ('system-prompt' | 'tools' | 'thinking' | 'models' | 'usage' | 'times')[];
          readonly nodeId?: string;
          readonly title?: string | null;
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly share: components['schemas']['Share'];
            readonly token: string;
            readonly url: string;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly setSystemPrompt: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly id?: string;
          readonly systemPrompt: string | null;
          readonly whole?: boolean;
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['MadeTree'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getTopology: {
    readonly parameters: {
      readonly query?: {
        readonly depth?: number;
        readonly from?: string;
      };
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** Format: uuid */
            readonly activeNodeId: string | null;
            readonly bookmarks: readonly components['schemas']['Bookmark'][];
            /** @enum {string} */
            readonly conversation_format: 'tree' | 'linear';
            readonly nodes: readonly components['schemas']['TopologyNode'][];
            /** Format: uuid */
            readonly rootId: string;
            readonly version: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getTrash: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['TrashItem'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly emptyTrash: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly contents: number;
            readonly nodes: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly purgeNode: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly contents: number;
            readonly nodes: number;
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly restoreNode: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly node: string;
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Touched'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly undo: {
    readonly parameters: {
      readonly query?: {
        readonly expectedVersion?: number;
        readonly onConflict?: 'branch';
      };
      readonly header?: {
        /** @description The version of the tree that was seen, in quotes. */
        readonly 'if-match'?: string;
      };
      readonly path: {
        readonly tree: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody?: {
      readonly content: {
        readonly 'application/json': {
          readonly actId?: string;
          readonly expectedVersion?: number;
          readonly force?: boolean;
          /** @enum {string} */
          readonly onConflict?: 'branch';
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Reversed'];
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly listUsers: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly items: readonly components['schemas']['User'][];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly createUser: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly id?: string;
          readonly name: string;
          /** @enum {string} */
          readonly role?: 'admin' | 'member' | 'viewer';
        };
      };
    };
    readonly responses: {
      /** @description Made. */
      readonly 201: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly token: string;
            readonly user: components['schemas']['User'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly patchUser: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path: {
        readonly id: string;
      };
      readonly cookie?: never;
    };
    readonly requestBody: {
      readonly content: {
        readonly 'application/json': {
          readonly disabled?: boolean;
          readonly name?: string;
          /** @enum {string} */
          readonly role?: 'admin' | 'member' | 'viewer';
        };
      };
    };
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            readonly user: components['schemas']['User'];
          };
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 404: There is no such thing, or it is somebody else’s. 409: The tree moved on, or an id is taken. 415: Another media type is needed. 422: Not possible here. 413: Too large. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getHealth: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** @enum {string} */
            readonly status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getMetrics: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'text/plain': string;
        };
      };
      /** @description 400: Something in the request is not right. 401: No token, or a wrong one. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
  readonly getReadiness: {
    readonly parameters: {
      readonly query?: never;
      readonly header?: never;
      readonly path?: never;
      readonly cookie?: never;
    };
    readonly requestBody?: never;
    readonly responses: {
      /** @description Done. */
      readonly 200: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': {
            /** @enum {string} */
            readonly status: 'ok' | 'unavailable';
          };
        };
      };
      /** @description 400: Something in the request is not right. 403: Not for this caller, host or origin. 429: Too many. */
      readonly default: {
        headers: {
          readonly [name: string]: unknown;
        };
        content: {
          readonly 'application/json': components['schemas']['Problem'];
        };
      };
    };
  };
}
