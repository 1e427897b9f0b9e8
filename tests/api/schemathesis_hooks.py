"""Signs Schemathesis in to the second API of a platform that `npm start` runs, and gives it things that exist.

A case may close the company, erase or deactivate the user, end the session or lock the account that it works with: then
the next one gets a new company with a new admin.
"""

import itertools
import json
import os
import secrets

import requests
import schemathesis

with open(os.path.join(os.environ.get("STACK_DIR", ".stack"), "stack.json"), encoding="utf-8") as file:
    stack = json.load(file)
PLATFORM = {"Authorization": f"Bearer {stack['adminToken']}"}
PASSWORD = "correct horse battery staple"
# They end the session, or count wrong guesses of the password.
FOR_ONE_CASE = r"^/auth/(logout|password|sessions/\{id\})$"


def somewhere():
    """Failed logins are also counted by address: each request comes from another one. Needs TRUSTED_PROXIES=1."""
    return {"X-Forwarded-For": f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"}


def call(method, path, headers, body=None):
    url = f"{stack['tsApi']}{path}"
    answer = requests.request(method, url, json=body, headers={**somewhere(), **headers}, timeout=60)
    answer.raise_for_status()
    return answer.json()


def new_company():
    return call("POST", "/admin/companies", PLATFORM, {"name": "Fuzzed", "kind": "client"})["id"]


def new_user(company_id, permissions):
    user = {"email": f"{secrets.token_hex(12)}@example.com", "password": PASSWORD}
    names = {"first_name": "Ada", "last_name": "Martin", "permissions": permissions}
    return {**user, "id": call("POST", "/admin/users", PLATFORM, {**user, **names, "company_id": company_id})["id"]}


def log_in():
    user = new_user(new_company(), ["admin"])
    return call("POST", "/auth/login", {}, {"email": user["email"], "password": PASSWORD})


class Bearer:
    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data['token']}"


@schemathesis.auth(refresh_interval=None).apply_to(path_regex="^/admin/")
class Platform(Bearer):
    def get(self, case, context):
        return {"token": stack["adminToken"]}


@schemathesis.auth(refresh_interval=None).apply_to(path_regex=FOR_ONE_CASE)
class SessionOfOneCase(Bearer):
    def get(self, case, context):
        return log_in()


@schemathesis.auth(refresh_interval=3600).skip_for(path_regex=f"^/admin/|{FOR_ONE_CASE}")
class Session(Bearer):
    def get(self, case, context):
        return log_in()


def erased_by_company(case, own):
    case.path_parameters["id"] = new_user(call("GET", "/auth/session", own)["company"]["id"], [])["id"]


def erased_by_platform(case, own):
    case.path_parameters["id"] = new_user(new_company(), [])["id"]


def logged_in(case, own):
    case.body.update({"email": new_user(new_company(), [])["email"], "password": PASSWORD})


def changed_password(case, own):
    case.body["current_password"] = PASSWORD


def set_by_link(case, own):
    admin = {"Authorization": f"Bearer {log_in()['token']}"}
    user = new_user(call("GET", "/auth/session", admin)["company"]["id"], [])
    case.body["token"] = call("POST", f"/company/users/{user['id']}/password-link", admin)["token"]


def ended_session(case, own):
    case.path_parameters["id"] = call("GET", "/auth/sessions", own)["items"][0]["id"]


def added_user(case, own):
    case.body["company_id"] = new_company()


EXISTING = {
    "POST /company/users/{id}/erase": erased_by_company,
    "POST /admin/users/{id}/erase": erased_by_platform,
    "POST /admin/users": added_user,
    "POST /auth/login": logged_in,
    "POST /auth/password": changed_password,
    "POST /auth/password-link": set_by_link,
    "DELETE /auth/sessions/{id}": ended_session,
}
turns = itertools.count()


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers.update(somewhere())
    name_what_exists = EXISTING.get(f"{case.method.upper()} {case.operation.path}")
    if not name_what_exists or case.meta is None or case.meta.generation.mode.is_negative or next(turns) % 2:
        return
    own = {"Authorization": case.headers.get("Authorization", "")}
    try:
        name_what_exists(case, own)
    except requests.HTTPError:
        pass  # The case is to be refused: it has no credential.
