import type { ApolloServerOptionsWithGateway, BaseContext, GraphQLRequestContext } from '@apollo/server';
import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';
import { TEXT_CACHE_LIMITS } from './operation-limits';
import { type Preparation, type PreparedOperation, prepareOperation } from './prepared-operation';

/**
 * Caches valid documents. Apollo Server's default store does not count the source text, which every node of a document
 * references.
 */
export function documentCache(): NonNullable<ApolloServerOptionsWithGateway<BaseContext>['documentStore']> {
  const cache = new LRUCache<string, DocumentNode>(TEXT_CACHE_LIMITS);
  return {
    get: async (key) => cache.get(key),
    set: async (key, document) => void cache.set(key, document, { size: document.loc?.source.body.length ?? 1 }),
    delete: async (key) => cache.delete(key),
  };
}

type ParsedRequest = Pick<GraphQLRequestContext<BaseContext>, 'document' | 'operation' | 'queryHash' | 'source'>;

/** Caches prepared operations. */
export function operationCache(preparation: Preparation): (request: ParsedRequest) => PreparedOperation | undefined {
  const cache = new LRUCache<string, PreparedOperation>(TEXT_CACHE_LIMITS);
  return ({ document, operation, queryHash, source }) => {
    if (!document || !operation || queryHash === undefined || source === undefined) return undefined;
    const operationName = operation.name?.value;
    const key = `${queryHash}:${operationName ?? ''}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const prepared = prepareOperation({ document, operation, source, operationName, queryHash }, preparation, false);
    cache.set(key, prepared, { size: source.length });
    return prepared;
  };
}
