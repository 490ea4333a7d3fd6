import { expect, test } from 'vitest';
import { parseProblemBody } from './http.ts';

test('[CL33] an error has the code, kind, message and data of the server', () => {
  const error = { code: 'provider/quota', kind: 'refused', message: 'The quota is used up.', data: { by: 'x' } };
  expect(parseProblemBody({ error }, 422)).toMatchObject({ ...error, status: 422 });
  const full = { code: 'store/full', kind: 'unavailable', message: 'The disk is full.', data: {} };
  expect(parseProblemBody({ error: full }, 507)).toMatchObject({ kind: 'unavailable' });
});

test('[CL33] the kind of an error without a kind follows from its status', () => {
  const kindOf = (status: number) => parseProblemBody(null, status).kind;
  const kinds = [400, 401, 403, 404, 409, 412, 413, 422, 428, 429, 499, 500, 502, 503, 504, 507].map(kindOf);
  expect(kinds.join(' ')).toBe(
    'invalid refused refused not-found conflict conflict invalid refused invalid unavailable aborted internal unavailable unavailable unavailable unavailable',
  );
  expect(kindOf(0)).toBe('unavailable');
  expect(parseProblemBody({ error: { code: 'x/y', kind: 'constructor' } }, 404).kind).toBe('not-found');
});
