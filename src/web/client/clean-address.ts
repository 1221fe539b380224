/** Removes the names of notices (`?created`) from the address of the page, which would return with each reload and bookmark. */
export function cleanAddress(): void {
  const address = new URL(location.href)
  const names = [...address.searchParams].filter(([, value]) => value === '').map(([name]) => name)
  if (names.length === 0) return
  for (const name of names) address.searchParams.delete(name)
  history.replaceState(history.state, '', address)
}
