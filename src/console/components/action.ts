import { useSignal } from '@preact/signals'

interface Action {
  isRunning: boolean
  error: Error | undefined
  run(): Promise<void>
  /** Forgets the error. */
  clear(): void
}

/** Runs an action, never twice at the same time, and keeps its error. */
export function useAction(perform: () => Promise<unknown>): Action {
  const isRunning = useSignal(false)
  const error = useSignal<Error | undefined>(undefined)
  const run = async () => {
    if (isRunning.peek()) return
    isRunning.value = true
    error.value = undefined
    try {
      await perform()
    } catch (thrown) {
      error.value = thrown as Error
    } finally {
      isRunning.value = false
    }
  }
  const clear = () => {
    error.value = undefined
  }
  return { isRunning: isRunning.value, error: error.value, run, clear }
}
