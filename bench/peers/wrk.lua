-- Fixes the bytes of the request. wrk keeps headers in a hash table and writes
-- them in an order that changes from run to run. Because no request() function
-- is defined here, wrk formats the request once and runs no Lua per request.
-- A Connection field is there for churn only.
wrk.format = function()
   local connection = wrk.headers["Connection"]
   return "GET " .. wrk.path .. " HTTP/1.1\r\n"
      .. "Host: " .. wrk.headers["Host"] .. "\r\n"
      .. "User-Agent: peers\r\n"
      .. "Accept: */*\r\n"
      .. (connection and "Connection: " .. connection .. "\r\n" or "")
      .. "\r\n"
end
