const K = class Named { static n = Named.name; };
return [K.name, K.n];
// => ["Named","Named"]
