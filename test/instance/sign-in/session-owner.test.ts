import { expect, test } from 'vitest'
import { Sessions } from '../../../src/instance/protocol/legacy/sessions.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

test('a session of a signed-in user is unknown to all other users, on every instance', () => {
  const own = new Sessions(KEY, 'inst_1')
  const other = new Sessions(KEY, 'inst_2')
  const { id } = own.create('2025-06-18', { owner: 'idp|ada' })
  for (const sessions of [own, other]) {
    expect(sessions.find(id, 'idp|grace')).toBeUndefined()
    expect(sessions.find(id)).toBeUndefined()
    expect(sessions.find(id, 'idp|ada')?.owner).toBe('idp|ada')
    expect(sessions.find(id, 'idp|grace')).toBeUndefined()
    sessions.close()
  }
})
