/**
 * Returns true if `Accept` admits `application/json` (RFC 9110 section 12.5.1): the most specific range decides, `q=0`
 * excludes.
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined || accept === '*/*' || accept === 'application/json' || accept.trim() === '') return true;
  const qualities = new Map(accept.split(',').map(rangeOf));
  for (const range of ['application/json', 'application/*', '*/*']) {
    const quality = qualities.get(range);
    if (quality !== undefined) return quality > 0;
  }
  return false;
}

function rangeOf(part: string): readonly [range: string, quality: number] {
  const [range = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [range, quality === undefined ? 1 : Number(quality.slice(2))];
}
