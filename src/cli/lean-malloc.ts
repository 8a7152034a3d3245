/** For a daemon: one arena of glibc for all threads, which with some hundred servers is 4 MB less. Other systems take no notice. */
export const LEAN_MALLOC = { MALLOC_ARENA_MAX: '1' }
