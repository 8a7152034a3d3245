import type { FromInstance } from '../../../shared/instances/instance-protocol.ts'

type MessageOf<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

interface Answer {
  /** Sequence number of the question. */
  question: number
  resolve(message: FromInstance): void
  reject(error: Error): void
}

/** Answers that a process no longer sends for a tenant after `retired`. */
const TYPES_BEFORE_RETIRED: readonly FromInstance['type'][] = [
  'serving',
  'kept',
  'draining',
  'drained',
  'sessions',
  'sessions-ended',
]

/** Pending answers from a process. Answers of one kind arrive in the order of the questions. */
export class PendingAnswers {
  readonly #waiting = new Map<string, Answer[]>()
  #questions = 0

  expect<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<MessageOf<Type>> {
    return new Promise((resolve, reject) => {
      const key = `${type} ${tenantId}`
      const waiting = this.#waiting.get(key)
      const question = ++this.#questions
      const answer: Answer = { question, resolve: message => resolve(message as MessageOf<Type>), reject }
      if (waiting) waiting.push(answer)
      else this.#waiting.set(key, [answer])
    })
  }

  /** The oldest pending answer of this kind. */
  take(type: FromInstance['type'], tenantId: string): Answer | undefined {
    const key = `${type} ${tenantId}`
    const waiting = this.#waiting.get(key)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#waiting.delete(key)
    return next
  }

  /** Rejects the pending answers to the tenant's older questions. They no longer arrive once the tenant is retired. */
  rejectBefore({ question }: Answer, tenantId: string, error: Error): void {
    for (const type of TYPES_BEFORE_RETIRED)
      while ((this.#waiting.get(`${type} ${tenantId}`)?.[0]?.question ?? question) < question)
        this.take(type, tenantId)?.reject(error)
  }

  rejectAll(error: Error): void {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}
