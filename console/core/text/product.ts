/** The name of the product, which is the same in each language. */
export const PRODUCT = 'Everturn';
