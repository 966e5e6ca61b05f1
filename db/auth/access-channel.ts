/** Channel on which the processes that hold connections open hear whose rights or credentials have changed. */
export const ACCESS_CHANNEL = 'access_changed';
