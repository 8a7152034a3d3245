import { useEffect } from 'preact/hooks'

/** Sets the title of the browser tab and of the entry in the history. */
export function useTitle(text: string): void {
  useEffect(() => {
    document.title = `${text} · mcp`
  }, [text])
}
