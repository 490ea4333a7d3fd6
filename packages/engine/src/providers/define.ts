import { isFileBlock } from '@coppice/content/wires';
import type { Block, Role } from '@coppice/core';
import { systemClock } from './clock.ts';
import type {
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderNotice,
  ProviderRequest,
  ProviderSpec,
  ProviderSupport,
  ReportParameterChange,
} from './contract.ts';
import { errorEventFromThrown, makeAbortedEvent, makeErrorEvent } from './errors.ts';
import { clampParameters, simplifyMessages } from './fit-request.ts';
import { collectToolCallIds, EventOrderNormaliser } from './normalise-event-order.ts';

/**
 * Completes a provider with defaults and wraps its `stream`, so that all providers behave alike: parameters are
 * clamped, blocks are lowered, events are ordered, and thrown errors become the last event. An abort ends the stream
 * immediately, even if the provider does not respond.
 */
export function defineProvider(spec: ProviderSpec): Provider {
  const provider: Provider = {
    name: spec.name,
    kind: spec.name,
    label: spec.label,
    keyNames: spec.keyNames ?? [],
    keyRequired: spec.keyRequired ?? (spec.keyNames !== undefined && spec.keyNames.length > 0),
    keyUrl: spec.keyUrl ?? null,
    baseUrl: spec.baseUrl,
    supports: spec.supports,
    parameters: spec.parameters,
    defaultModel: spec.defaultModel ?? null,
    models: spec.models ?? [],
    closed: spec.closed ?? false,
    stream: (request, call) => withGuards(spec, provider, request, call),
    fit: (request, { capabilities }) => fitParameters(spec, request, supportOf(spec, capabilities), doNothing),
    accepts: (block, role, model, capabilities) =>
      block.type === 'text' ||
      (spec.supports.blocks.includes(block.type) &&
        takesBlock(spec, supportOf(spec, capabilities), block, role, model)),
    async listModels(call) {
      if (spec.listModels === undefined) return provider.models;
      try {
        return await spec.listModels(call);
      } catch {
        // The list is only for menus, so an unreachable server counts as one without models.
        return [];
      }
    },
    async tryModels(call) {
      await spec.checkKey?.(call);
      return (await spec.listModels?.(call)) ?? provider.models;
    },
    async describeModel(model, call) {
      try {
        return (await spec.describeModel?.(model, call)) ?? null;
      } catch {
        // Without a description the model is still used; its provider reports a context overflow.
        return null;
      }
    },
  };
  return provider;
}

const aborted = Symbol('aborted');

async function* withGuards(
  spec: ProviderSpec,
  provider: Provider,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent, void, void> {
  const outer = call.signal;
  if (outer?.aborted) {
    yield makeAbortedEvent();
    return;
  }
  const clock = call.clock ?? systemClock;
  const order = new EventOrderNormaliser(collectToolCallIds(request.messages), () => clock.random());
  const inner = new AbortController();
  let wake: ((what: typeof aborted) => void) | null = null;
  const stop = () => {
    inner.abort(outer?.reason);
    wake?.(aborted);
  };
  outer?.addEventListener('abort', stop, { once: true });
  let source: AsyncIterator<ProviderEvent> | null = null;
  try {
    const refused = assertKey(provider, call);
    if (refused !== null) {
      yield refused;
      return;
    }
    const prepared = prepareRequest(spec, request, call);
    const events = spec.stream(prepared, { ...call, clock, signal: inner.signal })[Symbol.asyncIterator]();
    source = events;
    while (!order.ended) {
      // Promise.race with one promise for the whole stream would add a reaction to it with every event.
      const next = await new Promise<IteratorResult<ProviderEvent> | typeof aborted>((resolve, reject) => {
        wake = resolve;
        if (inner.signal.aborted) resolve(aborted);
        else events.next().then(resolve, reject);
      });
      const event =
        next === aborted
          ? makeAbortedEvent()
          : next.done
            ? makeErrorEvent('provider/dropped', 'The reply ended before it was complete.')
            : next.value;
      // `yield*` would create a promise for each item of this synchronous list.
      for (const one of order.push(event)) yield one;
    }
  } catch (thrown) {
    yield* order.push(inner.signal.aborted ? makeAbortedEvent() : errorEventFromThrown(thrown));
  } finally {
    outer?.removeEventListener('abort', stop);
    // Closes the inner stream if the reader stopped or the stream ended early.
    inner.abort();
    source?.return?.().catch(doNothing);
  }
}

function doNothing(): void {
  // Ignores notices without a handler, and errors while an unfinished stream is closed.
}

function assertKey(provider: Provider, call: ProviderCall): ProviderEvent | null {
  if (!provider.keyRequired || call.connection.key !== undefined) return null;
  const names = provider.keyNames.join(' or ');
  return makeErrorEvent(
    'provider/no-key',
    `${provider.label} needs a key: set ${names}, or a key in the configuration.`,
  );
}

/** Returns the features that both the model and its provider support. */
function supportOf(spec: ProviderSpec, able: ProviderCall['capabilities']): ProviderSupport {
  return {
    ...spec.supports,
    tools: spec.supports.tools && able?.tools !== false,
    thinking: spec.supports.thinking && able?.thinking !== false,
    images: spec.supports.images && able?.images !== false,
  };
}

function fitParameters(
  spec: ProviderSpec,
  request: ProviderRequest,
  supports: ProviderSupport,
  tell: (notice: ProviderNotice) => void,
): ProviderRequest {
  const limits = spec.parametersOf?.(request.model) ?? spec.parameters;
  const fitted = clampParameters(request, limits, supports, tell);
  const changed: ReportParameterChange = (name, asked, sent) =>
    tell({ type: 'parameter-changed', name, asked, ...(sent === undefined ? {} : { sent }) });
  return spec.adjust?.(fitted, changed) ?? fitted;
}

function takesBlock(spec: ProviderSpec, supports: ProviderSupport, block: Block, role: Role, model: string): boolean {
  if (block.type === 'image' && !supports.images) return false;
  if (block.type === 'tool-use' && !supports.tools) return false;
  return spec.takes?.(block, role, model) ?? true;
}

function prepareRequest(spec: ProviderSpec, request: ProviderRequest, call: ProviderCall): ProviderRequest {
  const tell = call.onNotice ?? doNothing;
  const supports = supportOf(spec, call.capabilities);
  const fitted = fitParameters(spec, request, supports, tell);
  const messages = simplifyMessages(fitted.messages, {
    supports,
    takes: (block, role) => takesBlock(spec, supports, block, role, request.model),
    onSimplified(block, role) {
      // The whole text of the file is sent, so there is nothing to report.
      if (isFileBlock(block) && block.source.type === 'text') return;
      tell({ type: 'block-lowered', blockType: block.type, role });
    },
  });
  return messages === fitted.messages ? fitted : { ...fitted, messages };
}
