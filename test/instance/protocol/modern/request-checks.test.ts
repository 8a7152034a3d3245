import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { RpcRequest } from '../../../../src/instance/protocol/json-rpc.ts'
import { findEnvelopeProblem, hasClaim } from '../../../../src/instance/protocol/modern/envelope.ts'
import { findContradiction, findHeaderFault } from '../../../../src/instance/protocol/modern/header-check.ts'
import { decodeHeaderValue } from '../../../../src/instance/protocol/modern/header-value.ts'
import { findParamFault } from '../../../../src/instance/protocol/modern/param-headers.ts'
import type { PreparedTool } from '../../../../src/instance/server/prepared-server.ts'
import { META } from '../../../../src/shared/modern-envelope.ts'

const withHeaders = (headers: IncomingMessage['headers']) => ({ headers }) as IncomingMessage
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

describe('the envelope of a modern request', () => {
  const valid = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} }

  test.each([
    [valid],
    [{ ...valid, [META.clientInfo]: { name: 'a', version: '1' } }],
    [{ ...valid, [META.logLevel]: 'debug' }],
    [{ ...valid, progressToken: 'a' }],
    [{ ...valid, progressToken: 0 }],
  ])('the envelope %j is valid', meta => {
    expect(findEnvelopeProblem(meta)).toBeUndefined()
  })

  test.each([
    [undefined, '_meta', 'is required'],
    [[], '_meta', 'is required'],
    [{ [META.clientCapabilities]: {} }, META.protocolVersion, 'is required'],
    [{ ...valid, [META.protocolVersion]: 1 }, META.protocolVersion, 'must be a string'],
    [{ [META.protocolVersion]: '2026-07-28' }, META.clientCapabilities, 'is required'],
    [{ ...valid, [META.clientCapabilities]: [] }, META.clientCapabilities, 'must be an object'],
    [{ ...valid, [META.clientInfo]: 'a' }, META.clientInfo, 'must be an object with name and version'],
    [
      { ...valid, [META.clientInfo]: { name: 'a' } },
      META.clientInfo,
      'must be an object with name and version',
    ],
    [
      { ...valid, [META.clientInfo]: { version: '1' } },
      META.clientInfo,
      'must be an object with name and version',
    ],
    [
      { ...valid, [META.logLevel]: 'toString' },
      META.logLevel,
      'must be one of debug, info, notice, warning, error, critical, alert, emergency',
    ],
    [{ ...valid, progressToken: {} }, 'progressToken', 'must be a string or a number'],
  ])('the envelope %j is invalid: %s %s', (meta, field, problem) => {
    expect(findEnvelopeProblem(meta)).toEqual({
      code: -32602,
      message: `Invalid params: "${field}" ${problem} in a request of revision 2026-07-28`,
      data: { field, problem },
    })
  })

  test.each([
    [{ _meta: valid }, true],
    [{ _meta: { [META.protocolVersion]: null } }, true],
    [{ _meta: { progressToken: 1 } }, false],
    [{}, false],
    [undefined, false],
  ])('params %j name a protocol revision: %s', (params, expected) => {
    expect(hasClaim(params)).toBe(expected)
  })
})

describe('headers and body of a modern request', () => {
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'echo' }
  const request = (method: string, params?: Record<string, unknown>): RpcRequest => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    ...(params && { params }),
  })

  test('headers that match the body, or are missing, are accepted', () => {
    expect(findContradiction(withHeaders(headers), '2026-07-28', 'tools/call')).toBeUndefined()
    expect(findContradiction(withHeaders({}), '2026-07-28', 'tools/call')).toBeUndefined()
  })

  test('a header that differs from the body is a contradiction', () => {
    expect(findContradiction(withHeaders(headers), '2026-08-01', 'tools/call')).toBe(
      'MCP-Protocol-Version is "2026-07-28" but the body says "2026-08-01"',
    )
    expect(findContradiction(withHeaders(headers), '2026-07-28', 'tools/list')).toBe(
      'Mcp-Method is "tools/call" but the body says "tools/list"',
    )
  })

  test.each([
    [headers, request('tools/call', { name: 'echo' })],
    [{ ...headers, 'mcp-name': encoded('écho') }, request('prompts/get', { name: 'écho' })],
    [{ ...headers, 'mcp-name': 'test://a' }, request('resources/read', { uri: 'test://a', name: 'b' })],
    [headers, request('tools/list', { name: 'other' })],
    [headers, request('tools/call', { name: 1 })],
    [headers, request('tools/call')],
  ])('the headers %j are complete for the request %j', (sent, message) => {
    expect(findHeaderFault(withHeaders(sent), message)).toBeUndefined()
  })

  test.each([
    [{ ...headers, 'mcp-protocol-version': undefined }, 'the header MCP-Protocol-Version is required'],
    [{ ...headers, 'mcp-method': undefined }, 'the header Mcp-Method is required'],
    [{ ...headers, 'mcp-name': undefined }, 'the header Mcp-Name is required and must be "echo"'],
    [{ ...headers, 'mcp-name': 'other' }, 'Mcp-Name is "other" but the body says "echo"'],
    [
      { ...headers, 'mcp-name': '=?base64?!?=' },
      'Mcp-Name "=?base64?!?=" is not valid base64 between =?base64? and ?=',
    ],
  ])('the headers %j of a call are incorrect: %s', (sent, fault) => {
    expect(findHeaderFault(withHeaders(sent), request('tools/call', { name: 'echo' }))).toBe(fault)
  })
})

describe('values of headers', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['=?base64?', '=?base64?'],
    ['=?base64?=', '=?base64?='],
    ['=?base64?YQ==', '=?base64?YQ=='],
    ['YQ==?=', 'YQ==?='],
    ['=?base64??=', ''],
    [encoded('a'), 'a'],
    [encoded('ab'), 'ab'],
    [encoded('abc'), 'abc'],
    [encoded('zürich €'), 'zürich €'],
    [encoded('?>~~'), '?>~~'],
  ])('the header value %j is decoded to %j', (value, decoded) => {
    expect(decodeHeaderValue(value)).toBe(decoded)
  })

  test.each(['YQ', 'YQ=', 'YWI', 'Y', 'YWJj=', 'YQ==YQ==', '*YWJj', 'YWJj*', '/w==', 'YW Jj', '-_8='])(
    'the encoded header value %s is malformed',
    text => {
      expect(decodeHeaderValue(`=?base64?${text}?=`)).toBeUndefined()
    },
  )
})

describe('arguments in headers', () => {
  const tool = {
    inputSchema: {
      type: 'object',
      'x-mcp-header': 'Root',
      properties: {
        region: { type: 'string', 'x-mcp-header': 'Region' },
        count: { type: 'integer', 'x-mcp-header': 'Count' },
        ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
        dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
        place: { type: 'object', properties: { zip: { type: 'string', 'x-mcp-header': 'Zip' } } },
        anything: true,
        unnamed: { type: 'string', 'x-mcp-header': 1 },
      },
      anyOf: [{ properties: { other: { type: 'string', 'x-mcp-header': 'Other' } } }],
    },
  } as unknown as PreparedTool

  test.each([
    [{}, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'zürich' }, { 'mcp-param-region': encoded('zürich') }],
    [{ region: '42.0' }, { 'mcp-param-region': '42.0' }],
    [{ count: 42 }, { 'mcp-param-count': '42.0' }],
    [{ count: -42 }, { 'mcp-param-count': '-42' }],
    [{ ratio: 0.5 }, { 'mcp-param-ratio': '0.50' }],
    [{ ratio: 1e21 }, { 'mcp-param-ratio': '1e+21' }],
    [{ dry: false }, { 'mcp-param-dry': 'false' }],
    [{ place: { zip: '1' } }, { 'mcp-param-zip': '1' }],
    [{ region: null, count: {}, other: 'x', unnamed: 'x' }, {}],
    [{ place: 'no object' }, {}],
    [undefined, {}],
    [Object.create({ region: 'inherited' }), {}],
  ])('the arguments %j match the headers %j', (args, headers) => {
    expect(findParamFault(withHeaders(headers), tool, args)).toBeUndefined()
  })

  test.each([
    [{ region: 'eu' }, {}, 'the header mcp-param-region is required because the body has "region"'],
    [
      { region: 'eu' },
      { 'mcp-param-region': 'us' },
      'mcp-param-region is "us" but "region" in the body is "eu"',
    ],
    [
      { region: 'eu' },
      { 'mcp-param-region': '=?base64?!?=' },
      'mcp-param-region is not valid base64 between =?base64? and ?=',
    ],
    [
      { region: '42' },
      { 'mcp-param-region': '42.0' },
      'mcp-param-region is "42.0" but "region" in the body is "42"',
    ],
    [{ count: 42 }, { 'mcp-param-count': '43' }, 'mcp-param-count is "43" but "count" in the body is 42'],
    [{ count: 42 }, { 'mcp-param-count': '0x2a' }, 'mcp-param-count is "0x2a" but "count" in the body is 42'],
    [{ count: 42 }, { 'mcp-param-count': '42.' }, 'mcp-param-count is "42." but "count" in the body is 42'],
    [{ count: 42 }, { 'mcp-param-count': ' 42' }, 'mcp-param-count is " 42" but "count" in the body is 42'],
    [{ count: 0 }, { 'mcp-param-count': '' }, 'mcp-param-count is "" but "count" in the body is 0'],
    [
      { count: '42' },
      { 'mcp-param-count': '42.0' },
      'mcp-param-count is "42.0" but "count" in the body is "42"',
    ],
    [{ dry: true }, { 'mcp-param-dry': '1' }, 'mcp-param-dry is "1" but "dry" in the body is true'],
    [{ place: { zip: '1' } }, {}, 'the header mcp-param-zip is required because the body has "place.zip"'],
  ])('the arguments %j contradict the headers %j', (args, headers, fault) => {
    expect(findParamFault(withHeaders(headers), tool, args)).toBe(fault)
  })
})
