import type { LinePosition } from '../../../shared/instances/log-line.ts'

/** Place of a record: the log of a deployment or preview, the instance that wrote it, and the line's position. */
export interface RecordPlace {
  /** Deployment id, or build id for a preview. */
  logId: string
  instance: string
  at: LinePosition
}

const RECORD_ID =
  /^req_(?<offset>[0-9a-z]{1,10})\.(?<segment>[0-9a-z]{1,6})\.(?<instance>[\w-]{1,64})\.(?<logId>(?:dep|mcp)_[0-9a-z]{1,32})$/

/**
 * The id of a record is the place of its line, so that instances neither create nor write ids. The offset is first, so that a
 * short prefix is unique among the last requests.
 */
export function recordId({ logId, instance, at }: RecordPlace): string {
  return `req_${at.offset.toString(36)}.${at.segment.toString(36)}.${instance}.${logId}`
}

/** Undefined for text that is not the id of a record. */
export function parseRecordId(id: string): RecordPlace | undefined {
  const { offset, segment, instance, logId } = RECORD_ID.exec(id)?.groups ?? {}
  if (!logId) return undefined
  const at = { segment: Number.parseInt(segment!, 36), offset: Number.parseInt(offset!, 36) }
  return { logId, instance: instance!, at }
}
