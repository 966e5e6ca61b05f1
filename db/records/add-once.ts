/**
 * Adds a record under an id that its caller has chosen: the same id again, also at the same time, returns the stored
 * record. It is looked for before anything is checked: a repetition of what was stored is not refused for what has
 * changed since.
 */
export async function addOnce<T>(find: () => Promise<T | undefined>, add: () => Promise<T>): Promise<T> {
  const stored = await find();
  if (stored !== undefined) return stored;
  try {
    return await add();
  } catch (error) {
    const meanwhile = await find();
    if (meanwhile === undefined) throw error;
    return meanwhile;
  }
}
