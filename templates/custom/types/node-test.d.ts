// The parts of Node that tests use. After `npm install --save-dev @types/node`, delete this file.
declare module 'node:test' {
  export function test(name: string, work: () => unknown): void
}
declare module 'node:assert/strict' {
  interface Assert {
    (value: unknown, message?: string): asserts value
    equal(actual: unknown, expected: unknown, message?: string): void
    deepEqual(actual: unknown, expected: unknown, message?: string): void
    match(text: string, expression: RegExp, message?: string): void
    throws(work: () => unknown, expected?: RegExp | object): void
    rejects(work: Promise<unknown> | (() => Promise<unknown>), expected?: RegExp | object): Promise<void>
  }
  const assert: Assert
  export default assert
}
