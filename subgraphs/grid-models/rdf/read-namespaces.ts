import type { SaxesTagNS } from 'saxes';
import { MAX_NAMESPACES } from './model-limits';
import { type Bindings, type Reading, stopWithFault } from './model-reading';
import { sameUri } from './rdf-names';

/** Registers a declaration of the current start tag. */
export function declareNamespace(reading: Reading, uri: string): void {
  reading.declares = true;
  if (reading.names.declare(uri.trim()) > MAX_NAMESPACES)
    stopWithFault(reading, `there are more than ${MAX_NAMESPACES} namespaces`);
}

/**
 * The parser looks up a prefix in every enclosing element. Storing all bindings in scope in each section and item lets it find the prefix
 * in the first one.
 */
export function shortenLookUps(reading: Reading, element: SaxesTagNS): void {
  const { depth, scopes, declares, outline } = reading;
  const outer = scopes[depth - 1];
  if (depth < outline.itemDepth && (declares || outer === undefined)) {
    reading.outerBindings += Object.keys(element.ns).length;
    if (reading.outerBindings > MAX_NAMESPACES)
      stopWithFault(reading, `there are more than ${MAX_NAMESPACES} declarations of namespaces outside the items`);
    element.ns = scopes[depth] = inScope(outer, element.ns);
  } else if (depth <= outline.itemDepth && !declares) element.ns = scopes[depth] = outer as Bindings;
}

function inScope(outer: Bindings | undefined, declared: Bindings): Bindings {
  const bindings = Object.assign(Object.create(null) as Bindings, outer);
  for (const [prefix, uri] of Object.entries(declared)) bindings[prefix] = sameUri(uri);
  return bindings;
}
