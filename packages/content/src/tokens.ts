import { estimateTokenCount } from 'tokenx';
import { estimateAsciiTokens } from './ascii-tokens.ts';

// The estimator processes about 10 MB per second. Longer texts are sampled at evenly spaced windows, so that one very
// long text does not block everything else for a second.
const wholeUpTo = 64 * 1024;
const windows = 16;
const windowLength = wholeUpTo / windows;

/** Estimates the tokens of a text. The same text always gets the same estimate. Long texts are sampled. */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  if (text.length <= wholeUpTo) return estimateText(text);
  const stride = (text.length - windowLength) / (windows - 1);
  let sampled = 0;
  for (let window = 0; window < windows; window++) {
    const start = Math.floor(window * stride);
    sampled += estimateText(text.slice(start, start + windowLength));
  }
  return Math.ceil((sampled * text.length) / wholeUpTo);
}

function estimateText(text: string): number {
  return estimateAsciiTokens(text) ?? estimateTokenCount(text);
}
