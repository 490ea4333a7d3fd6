/** Files that are dropped anywhere on the page. Without a handler a browser would leave the page and open the file. */

interface FileReceiver {
  /** Called when files are dragged over the page, and when they leave it or are dropped. */
  readonly onOver: (over: boolean) => void;
  readonly onDrop: (data: DataTransfer) => void;
}

// The screen that was opened last receives the files.
const receivers: FileReceiver[] = [];

/** Registers the receiver of dropped files. Returns a function that removes it. */
export function registerFileReceiver(receiver: FileReceiver): () => void {
  receivers.push(receiver);
  return () => {
    receiver.onOver(false);
    receivers.splice(receivers.indexOf(receiver), 1);
  };
}

function bringsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes('Files') === true;
}

/** Passes dropped files to their receiver, and refuses them on screens without one. Returns a function that stops. */
export function watchFileDrops(): () => void {
  const over = (event: DragEvent) => {
    if (!bringsFiles(event)) return;
    event.preventDefault();
    const receiver = receivers.at(-1);
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = receiver === undefined ? 'none' : 'copy';
    receiver?.onOver(true);
  };
  // The element under the pointer changes all the time; only leaving the window counts.
  const leave = (event: DragEvent) => {
    if (event.relatedTarget === null) receivers.at(-1)?.onOver(false);
  };
  const drop = (event: DragEvent) => {
    if (!bringsFiles(event) || event.dataTransfer === null) return;
    event.preventDefault();
    receivers.at(-1)?.onDrop(event.dataTransfer);
  };
  // Another element may handle the drop and stop its event, but then too no file is over the page any more.
  const clear = () => receivers.at(-1)?.onOver(false);
  addEventListener('dragenter', over);
  addEventListener('dragover', over);
  addEventListener('dragleave', leave);
  addEventListener('drop', drop);
  addEventListener('drop', clear, { capture: true });
  return () => {
    removeEventListener('dragenter', over);
    removeEventListener('dragover', over);
    removeEventListener('dragleave', leave);
    removeEventListener('drop', drop);
    removeEventListener('drop', clear, { capture: true });
  };
}
