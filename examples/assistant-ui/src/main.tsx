import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  BranchPickerPrimitive,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadListItemPrimitive,
  ThreadListPrimitive,
  ThreadPrimitive,
  useLocalRuntime,
  useRemoteThreadListRuntime,
} from '@assistant-ui/react';
import { createThreadListAdapter } from '@coppice/assistant-ui';
import { createClient } from '@coppice/client';
import { type ReactElement, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { offlineModel } from './model.ts';

const adapter = createThreadListAdapter({ client: createClient() });

function Branches(): ReactElement {
  return (
    <BranchPickerPrimitive.Root hideWhenSingleBranch>
      <BranchPickerPrimitive.Previous aria-label="Previous version">‹</BranchPickerPrimitive.Previous>
      <output>
        <BranchPickerPrimitive.Number />/<BranchPickerPrimitive.Count />
      </output>
      <BranchPickerPrimitive.Next aria-label="Next version">›</BranchPickerPrimitive.Next>
    </BranchPickerPrimitive.Root>
  );
}

function UserMessage(): ReactElement {
  return (
    <MessagePrimitive.Root data-role="user">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Root>
        <ActionBarPrimitive.Edit>Edit</ActionBarPrimitive.Edit>
      </ActionBarPrimitive.Root>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function EditComposer(): ReactElement {
  return (
    <ComposerPrimitive.Root>
      <ComposerPrimitive.Input aria-label="New version" />
      <ComposerPrimitive.Send>Save</ComposerPrimitive.Send>
    </ComposerPrimitive.Root>
  );
}

function AssistantMessage(): ReactElement {
  return (
    <MessagePrimitive.Root data-role="assistant">
      <MessagePrimitive.Parts />
      <ActionBarPrimitive.Root hideWhenRunning>
        <ActionBarPrimitive.Reload>Regenerate</ActionBarPrimitive.Reload>
      </ActionBarPrimitive.Root>
      <Branches />
    </MessagePrimitive.Root>
  );
}

function Threads(): ReactElement {
  return (
    <ThreadListPrimitive.Root>
      <ThreadListPrimitive.New>New chat</ThreadListPrimitive.New>
      <ThreadListPrimitive.Items
        components={{
          ThreadListItem: () => (
            <ThreadListItemPrimitive.Root>
              <ThreadListItemPrimitive.Trigger>
                <ThreadListItemPrimitive.Title fallback="Untitled" />
              </ThreadListItemPrimitive.Trigger>
            </ThreadListItemPrimitive.Root>
          ),
        }}
      />
    </ThreadListPrimitive.Root>
  );
}

function useThreadRuntime() {
  return useLocalRuntime(offlineModel);
}

function App(): ReactElement {
  const runtime = useRemoteThreadListRuntime({ runtimeHook: useThreadRuntime, adapter });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Threads />
      <ThreadPrimitive.Root>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage, EditComposer }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ThreadPrimitive.If running={false}>
            <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
          </ThreadPrimitive.If>
          <ThreadPrimitive.If running>
            <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
          </ThreadPrimitive.If>
        </ComposerPrimitive.Root>
      </ThreadPrimitive.Root>
    </AssistantRuntimeProvider>
  );
}

const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
