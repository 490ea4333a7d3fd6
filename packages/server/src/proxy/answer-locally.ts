/** A call that is passed on to nobody: our own models answer it, and it is recorded like any other. */
import { type Message, readPath } from '@coppice/core';
import { refuseHttp } from '../http-errors.ts';
import type { RawReply } from '../routes/define.ts';
import type { Services } from '../services.ts';
import { type CutAnswer, type ParsedRequest, parseObject } from './exchange.ts';
import { secretKeysOf } from './hide-keys.ts';
import { localAnswer } from './local-answer.ts';
import { parseRequest } from './parse-request.ts';
import type { ProxyCall } from './proxy.ts';
import { placeInForest } from './record.ts';
import { asItComes } from './upstream.ts';

// How long a reply that a client has may take until it is recorded.
const recordedMs = 5_000;

/** Answers a call. */
export async function answerLocally(call: ProxyCall, project: string): Promise<RawReply> {
  const { services, wire } = call;
  if (call.path === 'models') return modelList(services);
  const body = call.body === null ? null : parseObject(new TextDecoder().decode(call.body));
  const asked = wire === null || body === null ? null : parseRequest(wire, body);
  if (call.body === null || body === null || asked === null)
    return refuseHttp('http/invalid', 'There is nothing to answer: no upstream is set for this, and no messages came.');
  const before = await answeredBefore(call, asked, project);
  const { owner } = call.caller;
  const secrets = secretKeysOf(call.header, {}, services.config);
  const ticket = services.recorder.enter({ owner, project, wire: asked.wire, request: call.body, secrets });
  const { providers, now, newId } = services;
  const startedAt = now();
  const kept: Uint8Array[] = [];
  let [keeping, firstMs]: [boolean, number | null] = [true, null];
  const { ending, end } = services.calls.begin();
  const signal = AbortSignal.any([call.signal, ending]);
  const finish = (status: number, cut: CutAnswer) => {
    ticket.finish({
      provider: 'coppice',
      response: Buffer.concat(kept),
      encoding: undefined,
      status,
      cut: keeping ? cut : 'limit',
      timing: { startedAt, firstMs, totalMs: now() - startedAt },
    });
    end();
  };
  try {
    const { status, contentType, pieces } = await localAnswer(asked, body, { providers, now, newId, signal, before });
    const encoder = new TextEncoder();
    const raw = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const next = await pieces.next().catch((error: unknown) => {
          // Whoever takes a place in the line has to leave it, or what goes on from it waits.
          finish(status, 'service');
          throw error;
        });
        if (next.done === true) {
          controller.close();
          // A model that was stopped ends as if it were through.
          finish(status, ending.aborted ? 'service' : null);
          return;
        }
        firstMs ??= now() - startedAt;
        const bytes = encoder.encode(next.value);
        keeping &&= ticket.keep(bytes.byteLength);
        if (keeping) kept.push(bytes);
        controller.enqueue(bytes);
      },
      async cancel() {
        finish(status, 'client');
        await pieces.return(undefined);
      },
    });
    return { raw, status, headers: { 'Content-Type': contentType, 'Cache-Control': 'no-cache', ...asItComes } };
  } catch (error) {
    ticket.cancel();
    end();
    throw error;
  }
}

/** What a call goes on from by naming the reply before it. The client has that reply, so it is recorded or about to be. */
async function answeredBefore(call: ProxyCall, asked: ParsedRequest, project: string): Promise<readonly Message[]> {
  const { previous } = asked;
  if (previous === null) return [];
  const { services, caller } = call;
  const { store } = services.ownerServicesOf(caller.owner);
  const find = () => placeInForest(store, project, previous);
  const found = (await find()) ?? (await recordInTime(services.recorder.idle()).then(find));
  if (found === null)
    return refuseHttp('http/invalid', `There is no recorded response ${previous.slice(0, 100)} to go on from.`);
  const path = await store.read(found.tree.id, () => readPath({ to: found.nodeId }));
  return path.flatMap((node) => (node.message === null || node.kind !== 'message' ? [] : [node.message]));
}

/** A store that is away keeps the recorder at work for as long as it is away; a client does not wait for that. */
async function recordInTime(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, recordedMs);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function modelList(services: Services): RawReply {
  const data = services.providers
    .list()
    .filter((choice) => choice.ready)
    .map(({ id, provider }) => ({ id, object: 'model', created: 0, owned_by: provider }));
  return {
    raw: JSON.stringify({ object: 'list', data }),
    status: 200,
    headers: { 'Content-Type': 'application/json' },
  };
}
