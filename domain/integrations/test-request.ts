/** A GET request that shows whether the credentials of an integration work, with places for them. */
export interface TestRequest {
  /** Below the address of the API; begins with a slash, unless it is empty. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}
