/** Limits on what one process writes to its IPC channel. */
export interface ChannelLimits {
  /** Maximum size of one message. */
  messageBytes: number
  bytesPerSecond: number
  /** Maximum number of objects, arrays and members in one message, because parsing allocates all of them. */
  values: number
}

const MB = 1024 * 1024

/** Processes without user code. A process with thousands of servers reports on all of them in one message. */
export const OPEN_LIMITS: ChannelLimits = {
  messageBytes: 32 * MB,
  bytesPerSecond: 128 * MB,
  values: Number.POSITIVE_INFINITY,
}

/** Processes with user code. Reports on one server are a few hundred KB per second at most. */
export const SEALED_LIMITS: ChannelLimits = { messageBytes: 2 * MB, bytesPerSecond: 8 * MB, values: 200_000 }

/** A process with user code that describes its server. */
export const DESCRIBING_LIMITS: ChannelLimits = {
  messageBytes: 16 * MB,
  bytesPerSecond: 24 * MB,
  values: 1_000_000,
}

const LINE_FEED = 10
const [BRACE, BRACKET, COMMA] = [0x7b, 0x5b, 0x2c]

/** Measures received bytes before they are parsed. Messages are lines. */
export class ChannelMeter {
  readonly #limits: () => ChannelLimits
  #messageBytes = 0
  #values = 0
  #second = 0
  #secondBytes = 0

  constructor(limits: () => ChannelLimits) {
    this.#limits = limits
  }

  /** Returns the violated limit, in words that complete a sentence about the process. Undefined when there is none. */
  take(chunk: Uint8Array): string | undefined {
    const limits = this.#limits()
    const perSecond = this.#bytesThisSecond(chunk.length)
    if (perSecond > limits.bytesPerSecond)
      return `sent the daemon more than ${inMb(limits.bytesPerSecond)} MB per second`
    // A chunk has at most 64 KB, so only messages that span several chunks can be too large.
    const first = chunk.indexOf(LINE_FEED)
    this.#add(first === -1 ? chunk : chunk.subarray(0, first), limits)
    const problem = this.#problem(limits)
    if (first === -1 || problem !== undefined) return problem
    this.#messageBytes = 0
    this.#values = 0
    this.#add(chunk.subarray(chunk.lastIndexOf(LINE_FEED) + 1), limits)
    return undefined
  }

  #add(part: Uint8Array, { values }: ChannelLimits): void {
    this.#messageBytes += part.length
    if (Number.isFinite(values)) this.#values += countValues(part)
  }

  #problem({ messageBytes, values }: ChannelLimits): string | undefined {
    if (this.#messageBytes > messageBytes)
      return `sent the daemon a message of more than ${inMb(messageBytes)} MB`
    if (this.#values > values) return `sent the daemon a message of more than ${values} values`
    return undefined
  }

  #bytesThisSecond(bytes: number): number {
    const now = Math.trunc(performance.now() / 1000)
    if (now !== this.#second) {
      this.#second = now
      this.#secondBytes = 0
    }
    this.#secondBytes += bytes
    return this.#secondBytes
  }
}

function countValues(part: Uint8Array): number {
  let count = 0
  for (let at = 0; at < part.length; at++) {
    const byte = part[at]
    if (byte === BRACE || byte === BRACKET || byte === COMMA) count++
  }
  return count
}

function inMb(bytes: number): number {
  return bytes / MB
}
