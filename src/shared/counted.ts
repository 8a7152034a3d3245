/** `1 build`, `2 builds`. `plural`: for nouns such as `entry`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`
}
