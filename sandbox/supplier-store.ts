import { LRUCache } from 'lru-cache';
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider';
import { type RtiClient, rtiRegistration } from './supplier-clients';

const MOST_ENTRIES = 1_000;

/** What the supplier of a sandbox remembers of its sign-ins: in memory, each entry until it expires. RTI Users come while it runs. */
export function supplierStore(rtiClients: readonly RtiClient[]): AdapterFactory {
  const entries = new LRUCache<string, AdapterPayload>({ max: MOST_ENTRIES });
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
  const having = (field: 'uid' | 'userCode', value: string) =>
    [...entries.entries()].find(([key, payload]) => key.startsWith(`${model} `) && payload[field] === value)?.[1];
  return {
    async upsert(id, payload, expiresIn) {
      entries.set(keyOf(id), payload, expiresIn ? { ttl: expiresIn * 1000 } : {});
    },
    find: async (id) => entries.get(keyOf(id)),
    findByUid: async (uid) => having('uid', uid),
    findByUserCode: async (userCode) => having('userCode', userCode),
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
