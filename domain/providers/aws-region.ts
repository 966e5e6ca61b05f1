const SERVICE = /^bedrock(?:-runtime)?(?:-fips)?$/;
const REGION = /^[a-z0-9-]+$/;
const DOMAIN = /^(?:vpce\.)?(?:amazonaws\.com(?:\.cn)?|api\.aws)$/;

/** Returns the region that an address of Amazon Bedrock names; undefined when it names none. */
export function awsRegionOf(baseUrl: string | null): string | undefined {
  const host = /^https?:\/\/([^/:?#]+)/i.exec(baseUrl ?? '')?.[1];
  const parts = host?.toLowerCase().split('.') ?? [];
  const at = parts.findIndex((part) => SERVICE.test(part));
  const region = at === -1 ? undefined : parts[at + 1];
  const isRegional = region !== undefined && REGION.test(region) && DOMAIN.test(parts.slice(at + 2).join('.'));
  return isRegional ? region : undefined;
}
