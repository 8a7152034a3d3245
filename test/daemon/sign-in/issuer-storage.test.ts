import { expect, test } from 'vitest'
import { issuerStorage } from '../../../src/daemon/sign-in/issuer-storage.ts'
import { memoryStorage } from '../../../src/sdk/oauth/storage/memory.ts'

test("issuers that share a storage do not see each other's records", async () => {
  const shared = memoryStorage()
  const weather = issuerStorage(shared, 'weather/production', () => {})
  const news = issuerStorage(shared, 'news/production', () => {})
  await weather.put('client', 'id', { client_name: 'One' })
  expect(await news.get('client', 'id')).toBeUndefined()
  expect(await news.insert('client', 'id', { client_name: 'Two' })).toBe(true)
  expect([await weather.count('client'), await news.count('client')]).toEqual([1, 1])
  await news.delete('client', 'id')
  expect(await weather.get('client', 'id')).toEqual({ client_name: 'One' })
})
