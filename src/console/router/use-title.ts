import { useEffect } from 'preact/hooks'

/** Title of the browser's tab, also for the history. */
export function useTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · mcp`
  }, [text])
}
