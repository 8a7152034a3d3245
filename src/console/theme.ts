import { computed, signal } from '@preact/signals'

type Theme = 'light' | 'dark'

const STORED = 'mcp-console-theme'

const system = matchMedia('(prefers-color-scheme: dark)')
const systemTheme = signal<Theme>(system.matches ? 'dark' : 'light')
const chosen = signal<Theme | undefined>(readChoice())

/** The theme in use. */
export const theme = computed(() => chosen.value ?? systemTheme.value)

/** The theme that switchTheme changes to. */
export const otherTheme = computed((): Theme => (theme.value === 'dark' ? 'light' : 'dark'))

/** Applies the stored choice, or follows the system if there is none. */
export function startTheme(): void {
  apply()
  system.addEventListener('change', () => {
    systemTheme.value = system.matches ? 'dark' : 'light'
  })
}

/** Choosing the system's current theme removes the stored choice, so that the page follows the system again. */
export function switchTheme(): void {
  const next = otherTheme.peek()
  chosen.value = next === systemTheme.peek() ? undefined : next
  apply()
  if (chosen.value) localStorage.setItem(STORED, chosen.value)
  else localStorage.removeItem(STORED)
}

function apply(): void {
  if (chosen.value) document.documentElement.dataset.theme = chosen.value
  else delete document.documentElement.dataset.theme
}

function readChoice(): Theme | undefined {
  const stored = localStorage.getItem(STORED)
  return stored === 'light' || stored === 'dark' ? stored : undefined
}
