/* Generated from the table of routes: npm run client -w @coppice/server. Do not edit. */

export interface paths {
  '/api/agents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists what programs did through the recording proxy: sessions, sub-agents, calls, tokens, cost and errors. */
    get: operations['listRecordedWork'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/attachments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Uploads an attachment, which is stored by its hash with the media type of the request. The same bytes give the same attachment. */
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
    /** Returns the bytes of an attachment, or a range of them. They never change, so a client may cache them forever. */
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
    /** Lists the bookmarks of all your trees by page, last changed tree first. */
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
    /** Lists all slash commands with their usage, arguments (as JSON Schema) and examples. */
    get: operations['listCommands'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/connections': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the model providers that can be connected, and whether each is connected. Of a key it returns only the last four characters. */
    get: operations['listConnections'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/connections/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Connects a model provider or a URL: stores its key, which is used immediately, and reads its list of models. */
    put: operations['putConnection'];
    post?: never;
    /** Removes a connection that was added through this API, and deletes its key. */
    delete: operations['removeConnection'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/connections/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Tests a URL and a key by requesting the list of models. Stores nothing. */
    post: operations['testConnection'];
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
    /** Returns the reference of this API as an HTML page without external resources. */
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
    /** Exports all your trees as one file, or as a zip if the format has one file per tree. With `trashed` it includes the trash. */
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
    /** Reports what an export of all your trees would write and lose. Takes as long as the export. */
    get: operations['getFullExportReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/external-ids/find': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Finds the trees and nodes of the caller that have these ids in another system. */
    post: operations['findExternalIds'];
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
    /** Streams the changes of all your trees as server-sent events: `tree` (id = cursor, data = treeId and version). */
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
    /** Lists the folders, with the number of trees in each folder. */
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
    /** Renames a folder in all its trees. Null removes the folder from them. */
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
    /** Lists the formats for import and export, and what each format cannot represent. */
    get: operations['listFormats'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/found': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Counts the conversations of other programs on this computer. `offered` is false unless this is a single-user server on this computer. */
    get: operations['listFoundPrograms'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/found/imports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Starts an import of all conversations of one program on this computer. Follow it below `/api/imports`, like an upload. The files of the program are only read. */
    post: operations['importFound'];
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
    /** Stops a turn in any process and keeps its text so far. Returns `aborted: false` if the turn has already ended. */
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
    /** Approves or rejects a tool call of a turn on any server. `remember` allows later calls of the same tool without asking. */
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
    /** Streams the events of a turn on any server (id = index, data = the event), from `from` or after Last-Event-ID, until the turn ends. */
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
    /** Lists the running imports of all servers, and those that finished in the last day, newest first. */
    get: operations['listImports'];
    put?: never;
    /** Uploads a file or a zip of files and starts its import in the background. Responds when the upload is complete. Importing the same data again adds no duplicates. */
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
    /** Returns the progress or the result of an import: read = stored + merged + rejected, for conversations and for records. */
    get: operations['getImport'];
    put?: never;
    post?: never;
    /** Cancels an import after the current conversation and keeps the imported trees. Removes a finished import from the list. */
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
    /** Streams the progress of an import as server-sent events with the fields of `GET /api/imports/{id}`: `progress` while it runs, `end` when it has finished. Disconnecting does not stop the import. */
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
    /** Lists what an import repaired, left out or noticed, each with its location in the source: the first thousand findings, losses first, by page. The report counts all of them. */
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
    /** Lists the first thousand trees that an import created or extended, or would change in a dry run, by page. */
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
    /** Lists the MCP servers with their state, their tools, and the permission of each tool. */
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
    /** Approves the changed definition of a tool, or of all changed tools of a server. The hash identifies the definition that the user saw. */
    post: operations['approveMcpTool'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/mcp/servers/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Adds an MCP server by its URL, or by the command that starts it. A command needs the token again, and is refused unless this is a single-user server on this computer or the operator allows it. */
    put: operations['putMcpServer'];
    post?: never;
    /** Disconnects and removes an MCP server that was added through this API, and deletes its key. */
    delete: operations['removeMcpServer'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/mcp/servers/{name}/test': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reconnects to an MCP server, and returns its new state. */
    post: operations['testMcpServer'];
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
    /** Returns the signed-in user, and whether the server has several users. */
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
    /** Lists the models that can be used now, and the default model. With `all` it also lists models that still need a key. */
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
    /** Reads the lists of models of all configured providers again. */
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
    /** Returns this API as an OpenAPI 3.1 document. */
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
    /** Returns the state of recording, and the last recorded calls. */
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
    /** Lists your calls that could not be recorded and are not acknowledged, newest first. */
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
    /** Tries to record a failed call again from its stored data. */
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
    /** Acknowledges failed calls, the given ones or all of yours: removes them from the list and deletes their stored data. */
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
    /** Resumes or pauses the recording of calls. */
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
    /** Redoes the act that you undid last in any tree. Refused if you have changed something since. */
    post: operations['redoAnywhere'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/run': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Runs a command of core in the tree that it names. Undo and redo without a tree apply to your newest act in any tree. */
    post: operations['runTreeCommand'];
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
    /** Searches the messages of all branches for all words of the query, newest first. */
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
    /** Returns the operator’s settings, without keys and file paths. */
    get: operations['getSettings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/settings/limits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the daily budget of a shared server and the limits that apply to each user. */
    get: operations['getLimits'];
    /** Sets the daily budget and the limits of each user, at most to the limits of the operator. Null removes a limit. */
    put: operations['chooseLimits'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/settings/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Sets the default model of new chats and the model that writes titles. Null restores the value of the configuration. */
    put: operations['chooseModels'];
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
    /** Returns the silhouettes of several trees (messages, branches and their lengths), and your position in each: the title of the branch, its first question and its last text. */
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
    /** Returns the content of a share link. Everyone who has the link may read it. */
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
    /** Returns the bytes of an image or file in a share link, or a range of them. */
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
    /** Lists all your share links. */
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
    /** Revokes a share link. */
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
    /** Updates a share link to show the current text of messages that were edited in place. */
    post: operations['updateShare'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sign-in': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns how users sign in: with the one token of this server, or each with a personal token. */
    get: operations['getSignIn'];
    put?: never;
    /** Signs a browser in: checks a token and stores it in a cookie. */
    post: operations['signIn'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sign-out': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Signs this browser out by deleting its cookie. The token itself stays valid. */
    post: operations['signOut'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/sign-out-everywhere': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Ends all your other sessions: replaces the token of this server, or revokes your other tokens. This session stays signed in. */
    post: operations['signOutEverywhere'];
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
    /** Lists the tags of trees, with the number of trees for each tag. */
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
    /** Lists your tokens, without their secrets. */
    get: operations['listTokens'];
    put?: never;
    /** Creates a token for yourself, which is shown only once. Even an admin cannot create a token for another user. */
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
    /** Revokes one of your tokens. */
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
    /** Lists the tools that models may call. */
    get: operations['listTools'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/tools/{name}/decision': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /** Sets whether calls of a tool need approval, are allowed or are refused. */
    put: operations['decideTool'];
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
    /** Lists trees, last changed first. */
    get: operations['listTrees'];
    put?: never;
    /** Creates a tree, optionally with first messages. The same id again returns the same tree. */
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
    /** Returns one tree. With `linear` it includes the messages of the active path, for clients that do not support branches. */
    get: operations['getTree'];
    put?: never;
    post?: never;
    /** Moves a tree to the trash. With `purge` it deletes the tree permanently. A temporary tree is always deleted permanently. */
    delete: operations['deleteTree'];
    options?: never;
    head?: never;
    /** Changes attributes of a tree. Null removes an attribute. The system prompt can be changed only while the tree is empty. */
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
    /** Sets the active node. Needs no expected version, because the last request wins. */
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
    /** Lists the bookmarks of a tree. */
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
    /** Makes another node active, optionally with a summary of the branch that you leave. The summary is given, or written by a model. */
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
    /** Copies a message or a range to the end of the active branch or below another node. */
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
    /** Runs a slash command, given as a line or by name and arguments. Needs no expected version. */
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
    /** Returns the possible completions of a slash command line. */
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
    /** Compacts a branch: models get a summary instead of older messages. Nothing is deleted. */
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
    /** Returns the messages of several nodes, by id. Unknown ids are left out. */
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
    /** Returns the context that a model would get at a node: its messages with their tokens (all, or one page), the use of the context window, and the cost of a reply. */
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
    /** Compares two branches: the common part, the rest of each, and a word diff of each pair of messages. */
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
    /** Copies a tree, complete or up to a node, to a new tree. */
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
    /** Exports a tree, a branch with the path to it, or the path to a node, as a download. */
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
    /** Reports what an export would write and lose: nodes read = written + merged + left out. It counts all losses and lists the first thousand. */
    get: operations['getExportReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/external-ids': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the ids that a tree and its nodes have in other systems. An export writes them again. */
    get: operations['listExternalIds'];
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
    /** Streams the changes of a tree as server-sent events: `commit` (id = version, data = the commit and its nodes), `delta` (new text of a reply in progress, no id), `approval`, `reset`. Continues without a gap after Last-Event-ID or `since`. */
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
    /** Lists the replies that are being generated in a tree, in any process. */
    get: operations['listGenerations'];
    put?: never;
    /** Generates replies: to a new message, to an existing node, another reply to the same prompt, one reply from several (`nodeIds`, `way`), or the continuation of an incomplete reply. */
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
    /** Groups variants of one parent, or ungroups a single node. */
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
    /** Lists the commits of a tree before a version, newest first. */
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
    /** Returns the tree as of a version, without message contents. */
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
    /** Returns a page of a branch as of a version. */
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
    /** Restores the tree to an earlier version, as a new commit. */
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
    /** Makes a temporary tree permanent, with its ids, order, groups and active node. */
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
    /** Lists the newest leaves of a tree, newest first. */
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
    /** Merges a branch into the active branch or into another one, as one summary or as copies of its messages. */
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
    /** Appends messages below a node. Messages that already exist there are reused. */
    post: operations['appendMessages'];
    /** Moves all messages of a tree to its trash. The empty tree stays. */
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
    /** Makes the previous or next variant of a node active, down to its last visited leaf. */
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
    /** Returns one node with its message and its bookmark. */
    get: operations['getNode'];
    put?: never;
    post?: never;
    /** Deletes a node. By `mode` its children move up, or all its descendants or its whole group are deleted too. */
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
    /** Stops the reply of a node in any process and keeps its text so far. */
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
    /** Sets or renames the bookmark of a node. */
    put: operations['setBookmark'];
    post?: never;
    /** Removes the bookmark of a node. */
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
    /** Lists the children of a node or of the root, in order. */
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
    /** Edits a message: as a new variant, in place with the old text kept in the history, or split at the common prefix. */
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
    /** Returns what a deletion would remove: the number of nodes, and the bookmarks, replies in progress and share links that refer to them. */
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
    /** Joins a text message with its only child of the same role. The child keeps its id. */
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
    /** Sets metadata fields of a node. Null removes a field. `excluded` hides the node from models. */
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
    /** Moves a branch within the tree or to another tree. The expected version is the version of the source tree. */
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
    /** Returns the path through a node down to the last visited leaf below it, or only its last nodes. */
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
    /** Lists the variants of a node including the node itself, and its position among them. */
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
    /** Splits a text message in two. The new node is the first half. */
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
    /** Streams the text of one reply, generated by any process: `text-delta` (id = the offset after the text), then `end` or `error`. */
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
    /** Replaces the tags of a node. */
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
    /** Sets the title of a node. Null removes it. */
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
    /** Deletes several nodes in one commit. */
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
    /** Returns a page of a branch: its last messages, or those before or after a cursor, with the position of each among its variants. With `linear` also as plain messages, for clients that do not support branches. */
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
    /** Returns the path from a node (by default the first message) down to another node (by default the active one), both included. */
    get: operations['getPath'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/reads': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Runs one read of core in a tree, and returns its result with the version of the tree. */
    post: operations['readFromTree'];
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
    /** Redoes the act that you undid last. Refused if you have changed the tree since. */
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
    /** Restores a tree from the trash. */
    post: operations['restoreTree'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/reversible': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns what your next undo and redo would change in this tree; null if there is nothing to undo or redo. */
    get: operations['getReversible'];
    put?: never;
    post?: never;
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
    /** Lists your share links of a tree. */
    get: operations['listTreeShares'];
    put?: never;
    /** Creates a share link to the path of a node as it is now. The response is the only one that contains the link. Later messages never appear in it. */
    post: operations['createShare'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/trees/{tree}/sub-agents': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the session that started a tree as a sub-agent, and the sub-agents that the tree started, with their tool calls. */
    get: operations['getSubAgents'];
    put?: never;
    post?: never;
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
    /** Copies the active path or the whole tree to a new tree with another system prompt. The old tree stays unchanged. */
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
    /** Returns the structure of a tree as a flat list without contents: complete, or below a node down to a depth. */
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
    /** Returns the structure of the whole tree as columns: for each field the list of its values. Less than half the size of the flat list. */
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
    /** Lists the deleted nodes of a tree that can be restored. */
    get: operations['getTrash'];
    put?: never;
    post?: never;
    /** Empties the trash permanently. */
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
    /** Permanently deletes a node in the trash together with the nodes that were deleted with it. */
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
    /** Restores a deleted node together with the nodes that were deleted with it. */
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
    /** Undoes your newest act or the given one. Refused if other users added nodes below, unless `force` is set. */
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
    /** Undoes your newest act in any tree, also the deletion or restoration of a tree. The response names the tree. */
    post: operations['undoAnywhere'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/usage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the tokens and cost of each user on this server, today and in the last 30 days. */
    get: operations['getUsage'];
    put?: never;
    post?: never;
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
    /** Lists the users of a shared server. */
    get: operations['listUsers'];
    put?: never;
    /** Adds a user, with a first token that is shown only once. */
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
    /** Changes the name or role of a user, or disables and enables the account. */
    patch: operations['patchUser'];
    trace?: never;
  };
  '/api/users/{id}/limits': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Returns the limits of one user, which replace the general limits. */
    get: operations['getUserLimits'];
    /** Sets the limits of one user, at most to the limits of the operator. Null removes a limit. */
    put: operations['chooseUserLimits'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/users/{id}/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Lists the tokens of a user, without their secrets. */
    get: operations['listUserTokens'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/users/{id}/tokens/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Revokes a token of a user. */
    delete: operations['revokeUserToken'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Reports that the process is running, and counts of recorded calls. Needs no authentication. */
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
    /** Serves your trees as an MCP server (streamable HTTP). It is read-only unless the operator allows writes. */
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
    /** Returns metrics in the text format of Prometheus. Only admins may read them. */
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
    /** Forwards and records a chat completion. */
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
    /** Forwards embeddings without recording them. */
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
    /** Forwards and records an Anthropic message. */
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
    /** Forwards a token count. */
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
    /** Lists the models of the upstream service, or those of this server. */
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
    /** Forwards and records a response. */
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
    /** Reports whether the store is available, with status 503 if it is not. */
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
    /** Forwards and records a chat completion. */
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
    /** Forwards embeddings without recording them. */
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
    /** Forwards and records an Anthropic message. */
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
    /** Forwards a token count. */
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
    /** Lists the models of the upstream service, or those of this server. */
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
    /** Forwards and records a response. */
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
    AddResult: {
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
    AnthropicProblem: {
      error: {
        code: string;
        message: string;
        type: string;
      };
      /** @enum {string} */
      type: 'error';
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
    /** @description A sentence or a part of a sentence, as a code with data, so that a client can show it in any language. */
    CommandPhrase: {
      code: string;
      data: {
        [key: string]: unknown;
      };
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
    Connection: {
      address: string | null;
      editable: boolean;
      kept: boolean;
      key: {
        addedAt: number | null;
        /** @enum {string} */
        from: 'environment' | 'file' | 'page';
        lastFour: string | null;
        variable: string | null;
      } | null;
      keyRequired: boolean;
      keyUrl: string | null;
      kind: string;
      label: string;
      local: boolean;
      models: number;
      name: string;
      ready: boolean;
    };
    CreatedTree: {
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
    DeleteResult: {
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
    EditResult: components['schemas']['AddResult'] & {
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
      /** @description The size of the stored call; 0 if it cannot be recorded again. */
      keptBytes: number;
      model: string | null;
      project: string;
      /** @description The error message; null unless the caller is an admin. */
      reason: string | null;
      status: number | null;
      /** @enum {string} */
      wire: 'chat' | 'messages' | 'responses' | 'google';
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
    FoundProgram: {
      bytes: number;
      changedAt: number;
      folders: string[];
      format: string;
      label: string;
      sessions: number;
    };
    /** @description The oldest commit that is kept, if older ones were deleted. */
    HistoryStart: {
      at: number;
      version: number;
    } | null;
    ImportCounts: {
      merged: number;
      read: number;
      rejected: number;
      stored: number;
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
        conversations: components['schemas']['ImportCounts'];
        counts: {
          [key: string]: number;
        };
        records: components['schemas']['ImportCounts'];
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
    NodeWriteResult: {
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
    RecordedSession: {
      /** @description The git branch; null if the program does not report it. */
      branch: string | null;
      /** @description For a sub-agent: the tool call that started it. */
      call: string | null;
      figures: components['schemas']['WorkFigures'];
      /** @description The folder in which the program works; null if the program does not report it. */
      folder: string | null;
      /** @enum {string} */
      kind: 'session' | 'sub-agent' | 'side-calls';
      lastAt: number;
      model: string | null;
      /** @description The tree of the session to which this session belongs; null for a main session. */
      parentId: string | null;
      program: string | null;
      project: string | null;
      recent: components['schemas']['WorkFigures'];
      running: boolean;
      session: string | null;
      startedAt: number;
      title: string | null;
      treeId: string;
    };
    RecordedWork: {
      cursor: string | null;
      recent: components['schemas']['WorkFigures'] & unknown;
      /** @description The number of calls in progress in this process. */
      running: number;
      /** @description Sessions, last changed first. Each is followed by its sub-agents and its separate calls. */
      sessions: components['schemas']['RecordedSession'][];
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
    ServerTool: {
      asks: boolean;
      /** @enum {string} */
      decision: 'ask' | 'allow' | 'never';
      description: string;
      name: string | null;
      offer?: {
        changed: ('command' | 'description' | 'parameters' | 'annotations')[];
        description: string;
        hash: string;
        parameters: {
          [key: string]: unknown;
        };
      };
      pinnedAt: number | null;
      problem?: string;
      server: string;
      /** @enum {string} */
      status: 'ready' | 'unavailable' | 'changed' | 'refused';
      tool: string;
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
    StartedTurn: {
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
    SubAgents: {
      agents: {
        agentType: string | null;
        call: string | null;
        title: string | null;
        treeId: string;
      }[];
      spawnedBy: {
        agentType: string | null;
        call: string | null;
        title: string | null;
        treeId: string;
      } | null;
    };
    SummaryWriteResult: {
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
    ToolServer: {
      lastError: string | null;
      name: string;
      nextTryAt: number | null;
      problems: string[];
      removable: boolean;
      server: {
        name: string;
        version: string;
      } | null;
      since: number;
      /** @enum {string} */
      status: 'starting' | 'ready' | 'restarting' | 'down' | 'disabled' | 'closed';
      target: string[];
      tools: components['schemas']['ServerTool'][];
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
      first: string;
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
    UndoAnywhereResult: {
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
    UndoResult: {
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
    User: {
      createdAt: number;
      disabledAt: number | null;
      id: string;
      name: string;
      /** @enum {string} */
      role: 'admin' | 'member' | 'viewer';
    };
    WorkFigures: {
      cachedTokens: number;
      calls: number;
      /** @description The cost in US dollars; null if the price is unknown. */
      cost: number | null;
      errors: number;
      tokens: number;
      toolCalls: number;
      workMs: number;
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
  listRecordedWork: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        program?: string;
        project?: string;
        /** @description The time from which `recent` counts, in milliseconds since 1970. */
        since?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecordedWork'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BlobInfo'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description A range of the bytes. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  listConnections: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Connection'][];
            /** @enum {string|null} */
            keptIn: 'file' | 'encrypted' | 'memory' | null;
            models: {
              defaultModel: string | null;
              titleModel: string | null;
            };
            privateAddresses: boolean;
            problem: string | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  putConnection: {
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
          address?: string;
          key?: string;
          kind?: string;
          label?: string;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            connection: components['schemas']['Connection'];
            models: string[];
            problem: {
              code: string;
              message: string;
            } | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  removeConnection: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['Connection'][];
            /** @enum {string|null} */
            keptIn: 'file' | 'encrypted' | 'memory' | null;
            models: {
              defaultModel: string | null;
              titleModel: string | null;
            };
            privateAddresses: boolean;
            problem: string | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
  testConnection: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          address?: string;
          key?: string;
          kind?: string;
          label?: string;
          name: string;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            models: string[];
            problem: {
              code: string;
              message: string;
            } | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ExportReport'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  findExternalIds: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          format: string;
          ids: string[];
          scope: string;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: {
              format: string;
              id: string;
              /** Format: uuid */
              nodeId: string | null;
              scope: string;
              /** Format: uuid */
              treeId: string;
            }[];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  listFoundPrograms: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            items: components['schemas']['FoundProgram'][];
            offered: boolean;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  importFound: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          dryRun?: boolean;
          format: string;
          strict?: boolean;
        };
      };
    };
    responses: {
      /** @description Started. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportView'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Started. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportView'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportView'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            mayAdd: {
              addresses: boolean;
              commands: boolean;
            };
            servers: components['schemas']['ToolServer'][];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  putMcpServer: {
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
        'application/json':
          | {
              key?: string;
              url: string;
            }
          | {
              command: string[];
              env?: {
                [key: string]: string;
              };
              token: string;
            };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            mayAdd: {
              addresses: boolean;
              commands: boolean;
            };
            servers: components['schemas']['ToolServer'][];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  removeMcpServer: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            mayAdd: {
              addresses: boolean;
              commands: boolean;
            };
            servers: components['schemas']['ToolServer'][];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
  testMcpServer: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            mayAdd: {
              addresses: boolean;
              commands: boolean;
            };
            servers: components['schemas']['ToolServer'][];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      query?: {
        all?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
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
      /** @description Not modified. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProxyState'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProxyState'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UndoAnywhereResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  runTreeCommand: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          actId?: string;
          command: {
            [key: string]: unknown;
          };
          expectedVersion?: number;
          /** @enum {string} */
          onConflict?: 'branch';
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            actId: string;
            commit: {
              [key: string]: unknown;
            };
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            result?: unknown;
            /** Format: uuid */
            treeId: string;
            version: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  getLimits: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            chosen: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
            editable: boolean;
            inForce: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  chooseLimits: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          dayUsd?: number | null;
          generations?: number | null;
          requestsPerMinute?: number | null;
          uploadBytesPerDay?: number | null;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            chosen: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
            editable: boolean;
            inForce: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  chooseModels: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          defaultModel?: string | null;
          titleModel?: string | null;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            defaultModel: string | null;
            titleModel: string | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            by?: string;
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
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description A range of the bytes. */
      206: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          '*/*': string;
        };
      };
      /** @description Not modified. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
  getSignIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            mode: 'token' | 'users';
          };
        };
      };
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  signIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          token: string;
        };
      };
    };
    responses: {
      /** @description Success. */
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
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  signOut: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            signedOut: boolean;
          };
        };
      };
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
  signOutEverywhere: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            ended: number | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Created. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
  decideTool: {
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
          /** @enum {string} */
          decision: 'ask' | 'allow' | 'never';
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            decision: 'ask' | 'allow' | 'never';
            name: string;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description Created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees with copies of the purged nodes. */
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
            /** @description Whether files still contain purged bytes because another process is reading them. */
            uncleared?: boolean;
            /** @description Attachments that are kept for now because an upload of the same bytes has not been sent yet. */
            waitingAttachments?: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
          systemPrompt?: string | null;
          tags?: string[] | null;
          title?: string | null;
        };
      };
    };
    responses: {
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SummaryWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AddResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            data?: unknown;
            /** @description The sentences of `said`, as codes with data. */
            did?: components['schemas']['CommandPhrase'][];
            /** @description The lines of `text`, with codes instead of sentences. */
            lines?: (string | components['schemas']['CommandPhrase'])[][];
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
              phrase?: components['schemas']['CommandPhrase'];
              value: string;
            }[];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SummaryWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
        tools?: string;
      };
      header?: never;
      path: {
        tree: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
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
            expectedCost: {
              input: number;
              output: number;
              total: number;
            } | null;
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
            toolDefinitions: {
              count: number;
              tokens: number;
            };
            used: number;
            version: number;
            window: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description Created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/octet-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
  listExternalIds: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: {
              format: string;
              id: string;
              /** Format: uuid */
              nodeId: string | null;
              scope: string;
              /** Format: uuid */
              treeId: string;
            }[];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
          instructions?: string;
          maxTokens?: number;
          merge?: boolean;
          messages?: components['schemas']['MessageInput'][];
          models?: string[];
          n?: number;
          nodeId?: string;
          nodeIds?: string[];
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
          type: 'send' | 'reply' | 'regenerate' | 'combine' | 'continue';
          /** @enum {string} */
          way?: 'combine' | 'table' | 'differences';
        };
      };
    };
    responses: {
      /** @description Started. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StartedTurn'] & {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            begins: components['schemas']['HistoryStart'];
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            items: components['schemas']['CommitSummary'][];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SummaryWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['AddResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EditResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DeleteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ThreadPage'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
  readFromTree: {
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
          name: string;
          with: {
            [key: string]: unknown;
          };
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            answer?: unknown;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            version: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UndoResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChangedTree'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
  getReversible: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            redo: {
              actId: string;
              at: number;
              steps: {
                [key: string]: number;
              };
              text: string | null;
            } | null;
            undo: {
              actId: string;
              at: number;
              steps: {
                [key: string]: number;
              };
              text: string | null;
            } | null;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Created. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  getSubAgents: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SubAgents'] & {
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description Created. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CreatedTree'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            contents: number;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees with copies of the purged nodes. */
            copies: {
              nodes: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
            nodes: number;
            /** @description Whether files still contain purged bytes because another process is reading them. */
            uncleared: boolean;
            /** @description Attachments that are kept for now because an upload of the same bytes has not been sent yet. */
            waitingAttachments: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            contents: number;
            /** @enum {string} */
            conversation_format: 'tree' | 'linear';
            /** @description Other trees with copies of the purged nodes. */
            copies: {
              nodes: number;
              title: string | null;
              /** Format: uuid */
              treeId: string;
            }[];
            nodes: number;
            /** @description Whether files still contain purged bytes because another process is reading them. */
            uncleared: boolean;
            /** @description Attachments that are kept for now because an upload of the same bytes has not been sent yet. */
            waitingAttachments: number;
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NodeWriteResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UndoResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 428: The expected version is missing. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['UndoAnywhereResult'];
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  getUsage: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            days: number;
            items: {
              period: {
                calls: number;
                tokens: number;
                usd: number;
              };
              today: {
                calls: number;
                tokens: number;
                usd: number;
              };
              userId: string;
            }[];
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Created. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  getUserLimits: {
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            chosen: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
            editable: boolean;
            inForce: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
  chooseUserLimits: {
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
          dayUsd?: number | null;
          generations?: number | null;
          requestsPerMinute?: number | null;
          uploadBytesPerDay?: number | null;
        };
      };
    };
    responses: {
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            chosen: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
            editable: boolean;
            inForce: {
              dayUsd: number | null;
              generations: number | null;
              requestsPerMinute: number | null;
              uploadBytesPerDay: number | null;
            };
          };
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
  listUserTokens: {
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
  revokeUserToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
        token: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Success. */
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
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 404: Not found, or owned by another user. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
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
      /** @description 400: The request is invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 429: Too many requests. */
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
      /** @description Success. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': unknown;
        };
      };
      /** @description 400: The request is invalid. 401: The token is missing or invalid. 403: Not allowed for this caller, host or origin. 409: The tree has changed since, or an id is taken. 415: Unsupported media type. 422: Not possible in the current state. 413: The body is too large. 429: Too many requests. */
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
