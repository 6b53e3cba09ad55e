/** The entities and commands of UASP, as its page about state prints them. */
export const SKILL = `name: agent-browser
state:
  entities:
    - name: session
      format: "{session_id}"
      created_by: [login, connect]
      invalidated_by: [logout, disconnect, timeout]
      properties: [id, user, expires_at]
    - name: refs
      format: "@e{n}"
      created_by: [snapshot]
      invalidated_by: [navigate, click, type]
commands:
  login:
    syntax: agent-browser login
  snapshot:
    syntax: "agent-browser snapshot"
    creates: [refs, page_state]
  click:
    syntax: "agent-browser click <ref>"
    requires: [refs]
    invalidates: [refs, page_state]
  logout:
    syntax: agent-browser logout [--all]
`;
