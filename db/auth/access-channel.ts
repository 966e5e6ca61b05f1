/** Channel on which the api processes hear whose rights or credentials have changed. */
export const ACCESS_CHANNEL = 'access_changed';
