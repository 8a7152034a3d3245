import type { Adapter, AdapterPayload } from 'oidc-provider'

/** Storage of the identity provider, without the warnings about its built-in memory store. */
export function identityRecords(): (model: string) => Adapter {
  const records = new Map<string, AdapterPayload>()
  const find = (matches: (payload: AdapterPayload, key: string) => boolean) =>
    [...records].find(([key, payload]) => matches(payload, key))?.[1]
  return model => ({
    upsert: async (id, payload) => {
      records.set(`${model} ${id}`, payload)
    },
    find: async id => records.get(`${model} ${id}`),
    findByUid: async uid => find((payload, key) => key.startsWith(model) && payload.uid === uid),
    findByUserCode: async code => find((payload, key) => key.startsWith(model) && payload.userCode === code),
    consume: async id => {
      const payload = records.get(`${model} ${id}`)
      if (payload) payload.consumed = Math.floor(Date.now() / 1000)
    },
    destroy: async id => {
      records.delete(`${model} ${id}`)
    },
    revokeByGrantId: async grantId => {
      for (const [key, payload] of records) if (payload.grantId === grantId) records.delete(key)
    },
  })
}
