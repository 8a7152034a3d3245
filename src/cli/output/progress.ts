import { printable } from '../../shared/format/printable.ts'

/** Names the phase that begins. */
export type Progress = (text: string) => void

/** Faster work does not show a spinner and does not load ora. */
const SPINNER_DELAY_MS = 300

/** Shows a spinner with the phase of `work` and the elapsed seconds: `Building weather: installing (3 s)`. */
export async function showProgress<T>(text: string, work: (update: Progress) => Promise<T>): Promise<T> {
  const startedMs = performance.now()
  let phase = printable(text)
  const shown = () => withSeconds(phase, performance.now() - startedMs)
  let spinner: { text: string; stop(): unknown } | undefined
  let done = false
  const timer = setTimeout(async () => {
    const { default: ora } = await import('ora')
    if (!done) spinner = ora({ text: shown(), discardStdin: false }).start()
  }, SPINNER_DELAY_MS)
  const clock = setInterval(() => {
    if (spinner) spinner.text = shown()
  }, 1000)
  try {
    return await work(update => {
      phase = printable(update)
      if (spinner) spinner.text = shown()
    })
  } finally {
    done = true
    clearTimeout(timer)
    clearInterval(clock)
    spinner?.stop()
  }
}

/** `Building weather (3 s)`, without seconds during the first second. */
function withSeconds(text: string, ms: number): string {
  return ms < 1000 ? text : `${text} (${Math.floor(ms / 1000)} s)`
}
