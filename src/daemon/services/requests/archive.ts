import type {
  RequestArchive,
  RequestArchiveEntry,
  RequestRecordItem,
} from '../../../shared/contract/monitoring/requests.ts'
import { VERSION } from '../../../shared/version.ts'

const HTTP_VERSION = 'HTTP/1.1'
/** HAR's value for unknown sizes and times. */
const UNKNOWN = -1
const NO_HEADERS = { headers: [], cookies: [], headersSize: UNKNOWN }

/** Requests as an HTTP archive (HAR 1.2). Headers are never recorded, because they contain credentials. */
export function toArchive(requests: readonly RequestRecordItem[]): RequestArchive {
  const creator = { name: 'mcp-hosting', version: VERSION }
  return { log: { version: '1.2', creator, entries: requests.map(toEntry) } }
}

function toEntry({ arguments: args, answer, ...record }: RequestRecordItem): RequestArchiveEntry {
  const time = record.durationMs ?? 0
  return {
    startedDateTime: new Date(Math.max(0, Date.parse(record.timestamp) - time)).toISOString(),
    time,
    request: {
      method: 'POST',
      url: `mcp://${record.server}/${record.environment}`,
      httpVersion: HTTP_VERSION,
      queryString: [],
      ...NO_HEADERS,
      bodySize: record.requestBytes ?? UNKNOWN,
      ...(args !== undefined && {
        postData: { mimeType: 'application/json', text: requestText(record, args) },
      }),
    },
    response: {
      status: record.status ?? (record.outcome === 'cancelled' ? 0 : 200),
      statusText: '',
      httpVersion: HTTP_VERSION,
      ...NO_HEADERS,
      content: {
        size: record.responseBytes ?? UNKNOWN,
        mimeType: 'application/json',
        ...(answer !== undefined && { text: typeof answer === 'string' ? answer : JSON.stringify(answer) }),
      },
      redirectURL: '',
      bodySize: record.responseBytes ?? UNKNOWN,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    ...(record.reason !== null && { comment: record.reason }),
    _record: record,
  }
}

/** Reconstructs the client's message. */
function requestText(record: RequestRecordItem, args: unknown): string {
  const { requestId, method, tool, target } = record
  const params = { name: tool ?? target ?? undefined, arguments: args }
  return JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params })
}
