// Any site can lead a person to an address that ends in `?created`, or send our form: a new link is kept by default only
// where the form of this site was sent by hand in this tab.

const NAME = 'quirl-creating'

/** Remembers in this tab that its form is being sent. */
export function markCreation(): void {
  try {
    sessionStorage.setItem(NAME, '1')
  } catch {
    // Nothing is kept by default then.
  }
}

/** Forgets it, and returns whether it was so. A browser that has no storage at all says so when it is to keep the link. */
export function takeCreation(): boolean {
  try {
    const isMarked = sessionStorage.getItem(NAME) !== null
    sessionStorage.removeItem(NAME)
    return isMarked
  } catch {
    return true
  }
}
