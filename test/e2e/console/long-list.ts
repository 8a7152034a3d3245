import type { Page } from 'playwright-core'
import { daemon } from './use-console.ts'

/**
 * Answers a list of the API with one record more than its first page has room for: copies of its newest record, whose member
 * `id` differs. `path` contains the filters of the list.
 */
export async function lengthenList(page: Page, path: string, id: string): Promise<void> {
  const { body } = await daemon.api('GET', path)
  const list = body.data ?? body
  const copies = (count: number) =>
    Array.from({ length: count }, (_, number) => ({
      ...list.items[0],
      [id]: `${list.items[0][id]}${number}`,
    }))
  let pageSize: number | undefined
  await page.route(
    ({ pathname, searchParams }) => {
      const own = new URL(path, daemon.url)
      return (
        pathname === own.pathname &&
        [...own.searchParams].every(([name, value]) => searchParams.get(name) === value)
      )
    },
    route => {
      const limit = Number(new URL(route.request().url()).searchParams.get('limit'))
      pageSize ??= limit
      const hasMore = limit <= pageSize
      const token = hasMore ? 'next' : null
      const answer = { items: copies(hasMore ? limit : pageSize + 1), nextToken: token, next_cursor: token }
      return route.fulfill({ json: body.data ? { ...body, data: answer } : answer })
    },
  )
}
