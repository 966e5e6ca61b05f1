/** One mail address, without a name: neither a second address nor another line fits into it. */
export const MAIL_ADDRESS = /^[^\s<>,;:"()[\]\\@]{1,64}@[^\s<>,;:"()\\@]{1,255}$/;
