import { openInQuery, query, setQuery } from './router.ts'

/** A dialog that is part of the URL, so that a link opens it and the back button closes it. */
export function dialogInQuery(name: string) {
  return {
    isOpen: query.value.get('dialog') === name,
    open: () => openInQuery('dialog', name),
    close: () => setQuery({ dialog: undefined }),
  }
}
