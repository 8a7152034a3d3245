import { describe, expect, test } from 'vitest'
import {
  missingCapability,
  missingCapabilitySentence,
  requiredCapability,
} from '../../../src/instance/protocol/client-capabilities.ts'
import {
  echoableId,
  messageKind,
  RpcError,
  rpcError,
  rpcNotification,
  rpcRequest,
  rpcResult,
  tryParseJson,
  withoutAbsent,
} from '../../../src/instance/protocol/json-rpc.ts'
import { capabilitiesOf, capabilityBits } from '../../../src/instance/protocol/legacy/capability-bits.ts'
import { isAtLeast } from '../../../src/instance/protocol/log-level.ts'
import {
  isLegacyRevision,
  isModernRevision,
  LEGACY_REVISIONS,
  negotiateRevision,
} from '../../../src/instance/protocol/revisions.ts'

describe('JSON-RPC messages', () => {
  test.each([
    [{ jsonrpc: '2.0', id: 1, method: 'm' }, 'request'],
    [{ jsonrpc: '2.0', id: '', method: 'm', params: {} }, 'request'],
    [{ jsonrpc: '2.0', method: 'm' }, 'notification'],
    [{ jsonrpc: '2.0', id: 1, result: {} }, 'response'],
    [{ jsonrpc: '2.0', id: 1, error: {} }, 'response'],
    [{ id: 1, method: 'm' }, 'invalid'],
    [{ jsonrpc: '2.0', id: null, method: 'm' }, 'invalid'],
    [{ jsonrpc: '2.0', id: Number.NaN, method: 'm' }, 'invalid'],
    [{ jsonrpc: '2.0', id: 1, method: 1 }, 'invalid'],
    [{ jsonrpc: '2.0', id: 1, method: 'm', params: [] }, 'invalid'],
    [{ jsonrpc: '2.0', method: 'm', params: null }, 'invalid'],
    [{ jsonrpc: '2.0', id: 1 }, 'invalid'],
    [{ jsonrpc: '2.0', result: {} }, 'invalid'],
    [{ jsonrpc: '2.0', id: 1, result: 'text' }, 'invalid'],
    [[], 'invalid'],
    [null, 'invalid'],
    ['text', 'invalid'],
  ])('the message %j is of the kind %s', (message, kind) => {
    expect(messageKind(message)).toBe(kind)
  })

  test('serialized messages parse as the intended JSON', () => {
    const parsed = [
      rpcResult('a"b', '"x":1'),
      rpcResult(7, ''),
      rpcError(null, -1, 'no "x"'),
      rpcError(7, -1, 'no', { y: 2 }),
      rpcRequest('r', 'm', { a: 1 }),
      rpcNotification('n', { b: 2 }),
    ].map(text => JSON.parse(text))
    expect(parsed).toEqual([
      { jsonrpc: '2.0', id: 'a"b', result: { x: 1 } },
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: null, error: { code: -1, message: 'no "x"' } },
      { jsonrpc: '2.0', id: 7, error: { code: -1, message: 'no', data: { y: 2 } } },
      { jsonrpc: '2.0', id: 'r', method: 'm', params: { a: 1 } },
      { jsonrpc: '2.0', method: 'n', params: { b: 2 } },
    ])
  })

  test.each([
    [{ id: 3, method: 'm' }, 3],
    [{ id: 'a', method: 'm' }, 'a'],
    [{ id: 3 }, null],
    [{ id: {}, method: 'm' }, null],
    ['text', null],
  ])('an error about the message %j has the id %j', (message, id) => {
    expect(echoableId(message)).toBe(id)
  })

  test('an RpcError has its code, message and data', () => {
    expect(new RpcError(-1, 'no', 5)).toMatchObject({ code: -1, message: 'no', data: 5 })
  })

  test('tryParseJson returns undefined for invalid JSON', () => {
    expect([tryParseJson('{"a":1}'), tryParseJson('{')]).toEqual([{ a: 1 }, undefined])
  })

  test('withoutAbsent omits undefined members and keeps null', () => {
    expect(Object.keys(withoutAbsent({ a: undefined, b: null, c: 0 }))).toEqual(['b', 'c'])
  })
})

describe('capabilities of clients', () => {
  test.each([
    ['sampling/createMessage', {}, { sampling: {} }],
    ['sampling/createMessage', { tools: [] }, { sampling: { tools: {} } }],
    ['elicitation/create', {}, { elicitation: {} }],
    ['elicitation/create', { mode: 'url' }, { elicitation: { url: {} } }],
    ['roots/list', {}, { roots: {} }],
    ['ping', {}, undefined],
  ])('%s with %j requires the capability %j', (method, params, required) => {
    expect(requiredCapability(method, params)).toEqual(required)
  })

  test('a capability is missing if any part of it was not declared', () => {
    const required = { sampling: { tools: {} } }
    expect(missingCapability({}, undefined)).toBeUndefined()
    expect(missingCapability({ sampling: { tools: {} } }, required)).toBeUndefined()
    expect(missingCapability({ sampling: {} }, { sampling: {} })).toBeUndefined()
    for (const declared of [{}, { sampling: true }, { sampling: {} }, { sampling: { tools: true } }])
      expect(missingCapability(declared, required)).toBe(required)
  })

  test('the error message for a missing capability names the missing part', () => {
    expect(missingCapabilitySentence('m', { sampling: { tools: {} } })).toBe(
      'm needs the capability "sampling.tools", which the client did not declare',
    )
    expect(missingCapabilitySentence('m', { roots: {} })).toContain('"roots"')
  })

  test('capability bits encode the capabilities that determine what a client can be asked', () => {
    const declared = {
      sampling: { tools: {}, context: {} },
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    }
    expect(capabilityBits(declared)).toBe(0b1111_1111)
    expect(capabilitiesOf(0b1111_1111)).toEqual(declared)
    expect(capabilityBits({ elicitation: {}, experimental: {} })).toBe(0b1000)
    expect(capabilitiesOf(0b1000)).toEqual({ elicitation: {} })
    expect(capabilitiesOf(capabilityBits({ roots: {}, sampling: { tools: {} } }))).toEqual({
      roots: {},
      sampling: { tools: {} },
    })
    expect(capabilityBits({ sampling: 'yes' })).toBe(1)
    expect(capabilityBits({})).toBe(0)
  })
})

describe('protocol revisions', () => {
  test('a revision belongs to one of the two eras or to none', () => {
    expect(LEGACY_REVISIONS.map(isLegacyRevision)).toEqual([true, true, true, true])
    expect(LEGACY_REVISIONS.map(isModernRevision)).toEqual([false, false, false, false])
    expect(['2026-07-28', '2027-01-01'].map(isModernRevision)).toEqual([true, true])
    expect(isLegacyRevision('2025-01-01')).toBe(false)
  })

  test('an unsupported revision is answered with the newest one of the legacy era', () => {
    expect(['2024-11-05', '2025-01-01', 7].map(negotiateRevision)).toEqual([
      '2024-11-05',
      '2025-11-25',
      '2025-11-25',
    ])
  })
})

test('a log level includes itself and all more severe ones', () => {
  expect(isAtLeast('error', 'warning')).toBe(true)
  expect(isAtLeast('warning', 'warning')).toBe(true)
  expect(isAtLeast('info', 'warning')).toBe(false)
})
