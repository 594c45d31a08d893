//go:build ignore

/*
 * sink: the cheapest HTTP/1.1 server that a load generator can be held against.
 *
 * One thread, one epoll instance, one fixed answer for every complete request,
 * and no parsing but the search for the empty line that ends a request. What
 * it cannot do (bodies, requests split over two packets, errors) no peer asks
 * for. Its own cost is so small that the generator is the limit.
 *
 *   sink PORT CPU      listens on 127.0.0.1:PORT, pinned to CPU, until killed
 *
 * The first line keeps the Go tool from taking this file for a part of the
 * package beside it.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_EVENTS 512
#define READ_BYTES 65536
#define MAX_BATCH 256 /* answers sent with one call, for pipelined requests */

/* The date is fixed; it is there because parsing it is part of a client's work. */
static const char answer[] =
	"HTTP/1.1 200 OK\r\n"
	"Server: sink\r\n"
	"Date: Mon, 30 Nov 2026 12:00:00 GMT\r\n"
	"Content-Type: text/plain\r\n"
	"Content-Length: 2\r\n"
	"Connection: keep-alive\r\n"
	"\r\n"
	"ok";
#define ANSWER_BYTES (sizeof answer - 1)

static const char request_end[] = "\r\n\r\n";
#define REQUEST_END_BYTES (sizeof request_end - 1)

/* The answer, MAX_BATCH times over: a batch is sent from here without copying. */
static char answers[MAX_BATCH * ANSWER_BYTES];

static int pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set);
}

static int listen_on(int port)
{
	struct sockaddr_in addr = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int on = 1;
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* Accepted sockets inherit TCP_NODELAY from the listening one. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&addr, sizeof addr) < 0 || listen(fd, 4096) < 0)
		return -1;
	return fd;
}

static void watch(int epoll, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int count_requests(const char *data, size_t bytes)
{
	const char *end = data + bytes;
	int requests = 0;

	while ((data = memmem(data, end - data, request_end, REQUEST_END_BYTES)) != NULL) {
		data += REQUEST_END_BYTES;
		requests++;
	}
	return requests;
}

static void serve(int fd)
{
	static char data[READ_BYTES];
	ssize_t bytes = recv(fd, data, sizeof data, MSG_DONTWAIT);
	int requests;

	if (bytes <= 0) {
		close(fd); /* readable and empty is the end, or an error */
		return;
	}
	for (requests = count_requests(data, bytes); requests > 0; requests -= MAX_BATCH) {
		int batch = requests < MAX_BATCH ? requests : MAX_BATCH;
		send(fd, answers, batch * ANSWER_BYTES, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

int main(int argc, char **argv)
{
	struct epoll_event events[MAX_EVENTS];
	int listener, epoll, i, n;

	if (argc != 3 || pin(atoi(argv[2])) < 0)
		return 2;
	listener = listen_on(atoi(argv[1]));
	epoll = epoll_create1(0);
	if (listener < 0 || epoll < 0)
		return 1;
	for (i = 0; i < MAX_BATCH; i++)
		memcpy(answers + i * ANSWER_BYTES, answer, ANSWER_BYTES);

	watch(epoll, listener);
	for (;;) {
		n = epoll_wait(epoll, events, MAX_EVENTS, -1);
		for (i = 0; i < n; i++) {
			int fd = events[i].data.fd;

			if (fd != listener) {
				serve(fd);
				continue;
			}
			fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
			if (fd >= 0)
				watch(epoll, fd);
		}
	}
}
