import { request } from './api/client.ts'
import { useAction } from './components/action.ts'
import { Button } from './components/button.tsx'
import { notifyError } from './components/notices.tsx'

/** Ends the session of this browser. */
export async function signOut(): Promise<void> {
  try {
    await request('DELETE', '/api/console/session')
    // Removes all loaded data from the page.
    location.reload()
  } catch (error) {
    notifyError(error as Error)
  }
}

export function SignOut() {
  const action = useAction(signOut)
  return (
    <Button kind="quiet" busy={action.isRunning} onClick={() => void action.run()}>
      Sign out
    </Button>
  )
}
