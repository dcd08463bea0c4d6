class HttpError extends Error { constructor(status, o) { super('HTTP ' + status, o); this.name = 'HttpError'; this.status = status; } }
try { throw new HttpError(404, { cause: 'gone' }); } catch (e) { return [e.message, e.name, e.status, e.cause, e instanceof Error, String(e), Object.keys(e)]; }
// => ["HTTP 404","HttpError",404,"gone",true,"HttpError: HTTP 404",["name","status"]]
