/** English texts for what is at hand beside the messages: the map, ratings, speech, notifications, offline copies. */
export const atHandEn = {
  matchAt: '{n} of {of}',
  nextFound: 'Next match',
  previousFound: 'Previous match',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  showWholeTree: 'Show the whole tree',
  loadingTree: 'Loading the tree…',
  loadingTreeShare: 'Loading the tree: {share} %',
} as const;
