import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { type RtiClient, rtiRegistration } from './supplier-clients';

const MAX_ENTRIES = 1_000;

/**
 * Stores the sign-ins of the sandbox's supplier in memory until they expire. Reads RTI Users at each lookup: they are
 * added while it runs.
 */
export function supplierStore(rtiClients: readonly RtiClient[]): AdapterFactory {
  const entries = new LRUCache<string, AdapterPayload>({ max: MAX_ENTRIES });
  return (model) => {
    const store = storeOf(model, entries);
    if (model !== 'Client') return store;
    const find = async (id: string) => {
      const client = rtiClients.findLast((each) => each.id === id);
      return client && rtiRegistration(client);
    };
    return { ...store, find };
  };
}

function storeOf(model: string, entries: LRUCache<string, AdapterPayload>): Adapter {
  const keyOf = (id: string) => `${model} ${id}`;
  const findBy = (field: 'uid' | 'userCode', value: string) =>
    [...entries.entries()].find(([key, payload]) => key.startsWith(`${model} `) && payload[field] === value)?.[1];
  return {
    async upsert(id, payload, expiresIn) {
      entries.set(keyOf(id), payload, expiresIn ? { ttl: expiresIn * 1000 } : {});
    },
    find: async (id) => entries.get(keyOf(id)),
    findByUid: async (uid) => findBy('uid', uid),
    findByUserCode: async (userCode) => findBy('userCode', userCode),
    async consume(id) {
      const payload = entries.get(keyOf(id));
      if (payload) payload.consumed = Math.floor(Date.now() / 1000);
    },
    async destroy(id) {
      entries.delete(keyOf(id));
    },
    async revokeByGrantId(grantId) {
      for (const [key, payload] of entries.entries()) if (payload.grantId === grantId) entries.delete(key);
    },
  };
}
