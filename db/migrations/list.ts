/** The changes since `db/schema`, in the order of execution: the files of this folder. `npm run migration` adds one. */
export const migrations: readonly string[] = [];
