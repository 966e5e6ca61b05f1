/** Returns the form of the page that asks a person who has signed in with an integration, as a browser sends it. */
export function consentForm(page: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const { groups } of page.matchAll(/<input type="hidden" name="(?<name>\w+)" value="(?<value>[^"]*)">/g))
    form.append(groups?.['name'] ?? '', groups?.['value'] ?? '');
  return form;
}
