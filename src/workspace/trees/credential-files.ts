/**
 * Names under which tools and setup steps leave credentials in a workspace. What a gate changed as a whole
 * (`files: changed`) never hands these on; a gate that means one names it.
 */
const NAMES =
  /^(?:gha-creds-[0-9a-f]+\.json|\.npmrc|\.yarnrc\.yml|\.pypirc|\.netrc|_netrc|\.git-credentials|\.dockercfg|\.vault-token|\.terraformrc|application_default_credentials\.json|credentials\.tfrc\.json|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|p12|pfx|jks|keystore|kubeconfig))$/i;

/** Folders of tools, with the file that holds credentials in each. */
const PLACES =
  /(?:^|\/)(?:\.aws\/credentials|\.docker\/config\.json|\.kube\/config|\.config\/gh\/hosts\.yml|\.cargo\/credentials(?:\.toml)?|\.ssh\/[^/]+|\.gnupg\/.*)$/i;

/** Whether a path is one of those. */
export function isCredentialFile(path: string): boolean {
  return NAMES.test(path.slice(path.lastIndexOf('/') + 1)) || PLACES.test(path);
}
