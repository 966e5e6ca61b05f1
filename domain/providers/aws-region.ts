const REGIONAL_HOST =
  /(?:^|\.)bedrock(?:-runtime)?(?:-fips)?\.([a-z0-9-]+)\.(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Returns the region that an address of Amazon Bedrock names; undefined when it names none. */
export function awsRegionOf(baseUrl: string | null): string | undefined {
  const host = /^https?:\/\/([^/:?#]+)/i.exec(baseUrl ?? '')?.[1];
  return REGIONAL_HOST.exec(host?.toLowerCase() ?? '')?.[1];
}
