import { estimateTokenCount } from 'tokenx';
import { asciiTokens } from './ascii-tokens.ts';

// The estimator reads about 10 MB a second. Past this length it reads evenly spread windows and scales up, so that one
// huge paste does not hold up everything else for a second.
const wholeUpTo = 64 * 1024;
const windows = 16;
const windowLength = wholeUpTo / windows;

/** About how many tokens a text is to a model. Deterministic; long texts are sampled. */
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
  return asciiTokens(text) ?? estimateTokenCount(text);
}
