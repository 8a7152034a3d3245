/**
 * Thrown by a handler that needs answers from the client and wants to run again with them (MRTR, SEP-2322). The call ends with
 * `input_required`. In the legacy era, the questions are sent on the call's own stream, with the same effect.
 */
export class InputRequired extends Error {
  readonly requests: Readonly<Record<string, InputRequest>>
  /** JSON value that the next run receives as `requestState`. Signed, but readable by the client. */
  readonly state: unknown
  constructor(requests: Record<string, InputRequest>, state?: unknown) {
    super('The call needs answers from the client')
    this.requests = requests
    this.state = state
  }
}

export interface InputRequest {
  method: string
  params: Record<string, unknown>
}
