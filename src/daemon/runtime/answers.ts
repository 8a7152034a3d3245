import type { FromInstance } from '../../shared/instance-protocol.ts'

type Told<Type extends FromInstance['type']> = Extract<FromInstance, { type: Type }>

interface Answer {
  /** All questions are counted. */
  question: number
  resolve(message: FromInstance): void
  reject(error: Error): void
}

/** What a process was asked and has not answered; several of one kind are answered in the order they were asked. */
export class Answers {
  readonly #waiting = new Map<string, Answer[]>()
  #questions = 0

  expect<Type extends FromInstance['type']>(type: Type, tenantId: string): Promise<Told<Type>> {
    return new Promise((resolve, reject) => {
      const key = `${type} ${tenantId}`
      const waiting = this.#waiting.get(key)
      const question = ++this.#questions
      const answer: Answer = { question, resolve: message => resolve(message as Told<Type>), reject }
      if (waiting) waiting.push(answer)
      else this.#waiting.set(key, [answer])
    })
  }

  /** The one that was asked first; undefined when nobody waits for such an answer. */
  take(type: FromInstance['type'], tenantId: string): Answer | undefined {
    const key = `${type} ${tenantId}`
    const waiting = this.#waiting.get(key)
    const next = waiting?.shift()
    if (waiting?.length === 0) this.#waiting.delete(key)
    return next
  }

  /** What was asked of the tenant before that question and has no answer yet will get none. */
  rejectBefore(
    { question }: Answer,
    types: readonly FromInstance['type'][],
    tenantId: string,
    error: Error,
  ): void {
    for (const type of types)
      while ((this.#waiting.get(`${type} ${tenantId}`)?.[0]?.question ?? question) < question)
        this.take(type, tenantId)?.reject(error)
  }

  rejectAll(error: Error): void {
    const all = [...this.#waiting.values()].flat()
    this.#waiting.clear()
    for (const { reject } of all) reject(error)
  }
}
